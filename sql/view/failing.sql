-- failing: messages that did not end as they should: every class but ok, and late answers; warm-up left out.
--
--   message_no     counted from 0, by first attempt: time, then mid
--   mid            its id
--   topic          of its first attempt
--   sender         account
--   agent          of the sender
--   scenario       id; NULL: fits none
--   kind           p2p | group
--   from_t         first attempt, also one that was skipped, Unix ns
--   to_t           last answer, Unix ns; from_t where there is none
--   sender_pod     that the sender was READY on last, at from_t or before; NULL: not known
--   late_ack       1: answered after it was given up
--   outcome        acked | unknown | rejected | unsent
--   observed       full | partial | none | na
--   persisted      exact | duplicate | mismatch | dead_letter | absent | conflict | unchecked
--   class          durable_lost, lost_realtime_persisted, ...; ok with a late answer
--   code           of the answer that decided
--   seq            known seq
--   first_pub      Unix ns; NULL: never written
--   ack_ns         from the attempt that was acked to the ack
--   expected       receivers
--   missing        expected receivers that never got it
--   disconnected   missing receivers that were not connected throughout
--   anomalies      names with spaces between, '' for none
CREATE TEMP VIEW IF NOT EXISTS failing AS
SELECT x.message_no, m.mid, tp.name AS topic, sn.name AS sender, a.name AS agent, sc.id AS scenario,
	coalesce(tp.kind, sc.kind) AS kind, x.from_t, x.to_t, x.sender_pod, x.late_ack, m.outcome, m.observed, m.persisted, m.class,
	m.code, m.seq, m.first_pub, m.ack_ns, m.expected, m.missing, m.disconnected, m.anomalies
FROM main.failing AS x
JOIN main.message AS m ON m.run_no = x.run_no AND m.message_no = x.message_no
LEFT JOIN main.topic AS tp ON tp.run_no = m.run_no AND tp.topic_no = m.topic_no
LEFT JOIN main.account AS sn ON sn.run_no = m.run_no AND sn.account_no = m.sender_no
LEFT JOIN main.agent AS a ON a.run_no = m.run_no AND a.agent_no = m.agent_no
LEFT JOIN main.scenario AS sc ON sc.run_no = m.run_no AND sc.scenario_no = m.scenario_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
