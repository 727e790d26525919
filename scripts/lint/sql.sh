#!/bin/sh
# SQL is written in sql/, where a test prepares every statement, and not in C strings.
. "$(dirname "$0")/lib.sh"

statement='(SELECT|INSERT (OR|INTO)|REPLACE INTO|UPDATE|DELETE FROM|WITH|CREATE|DROP|ALTER|ATTACH|DETACH|PRAGMA|SAVEPOINT|VACUUM)[ \n]'
transaction='(BEGIN|COMMIT|END|ROLLBACK)( [A-Z ]+)?;?$'

c_text strings src | sed -nE "s/^([^:]*:[0-9]+:)[ ]*($statement|$transaction).*/\1 SQL text belongs to sql\//p"
