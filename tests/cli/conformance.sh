#!/bin/bash
# The sentences of the format, the truth model, the gates and the commands, one small run each: tests/conformance.
exec python3 -B "${top_srcdir:?}/tests/conformance/run.py"
