#!/bin/bash
# check-schema against a real database: a line for each check, and an exit status that a pipeline can stop at.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb

db=schema_$$

on_exit()
{
	lab_mend
	lab_sql "DROP DATABASE IF EXISTS $db; DROP USER IF EXISTS $db@localhost"
} >/dev/null 2>&1
trap 'on_exit; rm -rf "$work"' EXIT

sql()
{
	lab_sql -D "$db" "$1"
}

# configuration <TABLES
configuration()
{
	{
		cat <<-END
			format: 1
			timeout: 2s
			tries: 1
			mysql:
			  address: 127.0.0.1:$LAB_MARIADB_PORT
			  user: $db
			  password: {file: password}
			  database: $db
		END
		sed 's/^/  /'
	} >impaudit.yaml
}

lab_sql "CREATE DATABASE $db; CREATE USER $db@localhost IDENTIFIED BY 'Mathilde-$$'; GRANT SELECT ON $db.* TO $db@localhost"
(umask 077 && echo "Mathilde-$$" >password)
mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root "$db" <"$top_srcdir/tests/lab/im.sql"
configuration <<'END'
tables:
  - pattern: im_{tenant:3}_messages
    allow: im_\d{3}_messages
    mid: client_msg_id
    expect: [{column: content, type: longtext}, {column: createdat}]
dead_letters:
  - {table: im_kafka_dead_letters}
END

echo '# an id that is too small'
run 1 check-schema
cat >want <<'END'
ok      im_008_messages.client_msg_id: is varchar(64)
FAIL    im_008_messages.id: is int(11), not null, auto_increment; must be bigint, not null, auto_increment
ok      im_008_messages.seqid: is int(11)
ok      im_008_messages: (topic, seqid) is unique
ok      im_008_messages: rows are found by an index on client_msg_id
ok      im_008_messages.content: is longtext
ok      im_008_messages.createdat: is datetime(3)
ok      im_kafka_dead_letters.client_msg_id: is varchar(64)
ok      im_kafka_dead_letters: rows are found by an index on client_msg_id
The schema does not keep the contract.
END
diff want out
ok $? 'each check'
run 0 check-schema --server tinode
has out 'note    im_008_messages.id: is int(11)'
run 1 check-schema --tenant 8
run 64 check-schema --server other

echo '# as it should be'
sql 'ALTER TABLE im_008_messages MODIFY id BIGINT NOT NULL AUTO_INCREMENT'
run 0 check-schema
has out 'ok      im_008_messages.id: is bigint(20), not null, auto_increment'
has out 'The schema keeps the contract.'
for id in 'BIGINT NOT NULL' 'BIGINT UNSIGNED NOT NULL AUTO_INCREMENT'; do
	sql "ALTER TABLE im_008_messages MODIFY id $id"
	run $((${#id} < 20)) check-schema
	sed -n 's/^/# /; / im_008_messages.id/p' out
done

echo '# every table that the pattern allows'
sql 'CREATE TABLE im_009_messages (id BIGINT AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(25), seqid VARCHAR(9), client_msg_id VARCHAR(16), content INT, createdat DATETIME);
	CREATE TABLE im_old_messages (id INT)'
run 1 check-schema
grep 009 out >found
cat >want <<'END'
FAIL    im_009_messages.client_msg_id: is varchar(16), must take 64 characters
ok      im_009_messages.id: is bigint(20), not null, auto_increment
FAIL    im_009_messages.seqid: is varchar(9), must be an integer
FAIL    im_009_messages: (topic, seqid) is not unique: two messages may have one place
FAIL    im_009_messages: no index leads to client_msg_id or topic
FAIL    im_009_messages.content: is int(11), must be longtext
ok      im_009_messages.createdat: is datetime
END
diff want found
ok $? 'what is wrong there'
grep -q im_old out
ok $((! $?)) 'another table is none of ours'
run 0 check-schema --tenant 8
run 65 check-schema --tenant x
has err 'does not allow'

echo '# missing tables and columns, missing rights, nobody there'
sql 'ALTER TABLE im_008_messages DROP COLUMN client_msg_id'
run 1 check-schema --tenant 8
has out 'FAIL    im_008_messages.client_msg_id: is not there'
run 1 check-schema --tenant 10
has out 'FAIL    im_010_messages: is not there'
lab_sql "REVOKE SELECT ON $db.* FROM $db@localhost; GRANT SELECT ON $db.im_kafka_dead_letters TO $db@localhost"
run 3 check-schema --tenant 8
has out 'unseen  im_008_messages: '
has out 'Not all of the schema could be seen.'
run 65 check-schema --only replica
has err 'no instance of MySQL of that name'
run 3 check-schema --only main
sed -i "s/:$LAB_MARIADB_PORT/:9/" impaudit.yaml
run 69 check-schema
echo 'tables: 1' >>impaudit.yaml
run 65 check-schema
tap_done
