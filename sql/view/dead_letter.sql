-- dead_letter: dead letters; warm-up left out.
--
--   dead_no       counted from 0
--   message_no    NULL: foreign
--   mid           of its message; NULL: foreign
--   t             Unix ns
--   error         as the line says
--   code          as the line says
--   topic         as the line says
--   kafka_topic   as the line says
--   state         dead | replayed
--   check         which look-up it was, from 1
--   file          path below the results directory
--   line          from 1
CREATE TEMP VIEW IF NOT EXISTS dead_letter AS
SELECT x.dead_no, x.message_no, m.mid AS mid, x.t, x.error, x.code, x.topic, x.kafka_topic, x.state, x."check",
	f.path AS file, x.line
FROM main.dead_letter AS x
LEFT JOIN main.message AS m ON m.run_no = x.run_no AND m.message_no = x.message_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded IS NOT 1;
