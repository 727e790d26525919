#!/bin/bash
# The servers themselves: they answer, hang, die and come back as the other tests expect, and no foreign process is touched.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb redis kafka prometheus

# topics that were made by this process
topic=lab-$$

# what outside hands say
is "$(lab_sql 'SELECT @@port')" "$LAB_MARIADB_PORT" 'MariaDB answers on its socket'
is "$(lab_redis ping)" PONG 'Redis answers'
is "$(curl -s "127.0.0.1:$LAB_PROMETHEUS_PORT/-/ready")" 'Prometheus Server is Ready.' 'Prometheus answers'
lab_kafka TopicCommand --create --topic "$topic" >said 2>&1
ok $? 'Kafka answers'
for port in "$LAB_MARIADB_PORT" "$LAB_REDIS_PORT" "$LAB_PROMETHEUS_PORT" "$LAB_KAFKA_PORT"; do
	ss -Hltn "sport = :$port" | grep -vq -e '127\.0\.0\.1' -e '\[::ffff:127\.0\.0\.1\]'
	ok $((! $?)) "port $port is on loopback alone"
done

# killed and hung at once
lab_sql "CREATE TABLE mysql.test_lab_$$ (a INT)" && lab_sql "INSERT INTO mysql.test_lab_$$ VALUES (7)"
old=$(lab_pid mariadb)
lab_kill mariadb kafka
is "$(lab_pid mariadb)" '' 'a killed server is gone'
lab_pause redis
is "$(timeout 0.3 redis-cli -p "$LAB_REDIS_PORT" ping)" '' 'a paused one does not answer'
lab_resume redis
is "$(lab_redis ping)" PONG 'and does when it is resumed'
lab_start mariadb kafka
[ -n "$(lab_pid mariadb)" ] && [ "$(lab_pid mariadb)" != "$old" ]
ok $? 'a killed server comes back'
is "$(lab_sql "SELECT a FROM mysql.test_lab_$$")" 7 'with its rows'
lists_topic()
{
	lab_kafka TopicCommand --list 2>said | grep -qx "$topic"
}
lab_until 30 lists_topic # it answers before it has read all of its own metadata
ok $? 'with its topics'
lab_sql "DROP TABLE mysql.test_lab_$$"
lab_kafka TopicCommand --delete --topic "$topic" >said 2>&1

# a laboratory of its own
own()
{
	LAB_DIR=$work/own "$lab" "$@"
}

own start redis && . own/env
is "$(lab_redis ping)" PONG 'two of a kind'
own stop
sleep 300 &
sleeper=$!
read -r _ started <own/redis/pid
echo "$sleeper $started" >own/redis/pid
own kill redis
own stop
kill -0 $sleeper
ok $? 'a process that took over the number of another is left alone'
sed -i "s/LAB_REDIS_PORT=.*/LAB_REDIS_PORT=$LAB_MARIADB_PORT/" own/env
own start redis && . own/env
is "$(lab_redis ping)" PONG 'a port that somebody else has is not taken'
own remove
[ ! -e own ]
ok $? 'removed'
kill $sleeper
mkdir bin
for command in dirname flock mkdir; do
	ln -s "$(command -v $command)" bin/
done
PATH=$work/bin own start redis 2>said
is $? 69 'a part that is not installed'
has said 'redis needs redis-server (package redis-server)'
tap_done
