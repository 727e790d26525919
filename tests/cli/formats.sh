#!/bin/bash
# Logs, metrics and cluster state in the forms that public issues show, one small run each: tests/formats.
exec python3 -B "${top_srcdir:?}/tests/formats/run.py"
