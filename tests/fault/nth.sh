#!/bin/bash
# The n-th allocation, read, write and SQLite step fails: tests/fault/nth.py, which says how much of it is tried.
command -v python3 >/dev/null || { echo '1..0 # SKIP there is no python3'; exit 0; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "${top_srcdir:?}/tests/fault/nth.py" "${IMPAUDIT:?}" "${top_builddir:?}/tests/fault/inject.so"
