-- message: one line for each message of the run, warm-up left out.
--
--   message_no         counted from 0, by first attempt: time, then mid
--   mid                its id
--   topic              of its first attempt
--   sender             account
--   agent              of the sender
--   scenario           id; NULL: fits none
--   kind               p2p | group
--   plan_t             when the first attempt that says so was due, Unix ns
--   first_pub          Unix ns; NULL: never written
--   window_end         end of the drain window of its scenario, Unix ns
--   attempts           `pub` lines
--   outcome            acked | unknown | rejected | unsent
--   observed           full | partial | none | na
--   persisted          exact | duplicate | mismatch | dead_letter | absent | conflict | unchecked
--   class              ok, durable_lost, lost_realtime_persisted, ...: one for each message
--   code               of the answer that decided: the ack, else the last refusal
--   seq                known seq: the ack's, else the one its deliveries agree on
--   ack_t              Unix ns
--   ack_ns             from the attempt that was acked to the ack
--   expected           receivers; 0 also where the expectation is unknown
--   unique             expected receivers that got it in the window
--   late               expected receivers that got it after the window
--   unwitnessed        expected receivers not seen while nobody watched all the time
--   missing            expected receivers that never got it
--   duplicate          further copies at expected receivers
--   disconnected       missing receivers that were not connected throughout
--   copies             of any kind, at anybody
--   in_history         1: history returned it
--   witness_conflict   1: database and history contradict each other
--   anomalies          names with spaces between, '' for none
--   last_layer         acked without exact row: history | dead_letter | nowhere
--   place              acked without exact row, in its topic's order of stored seqs: before_first | between | after_last | alone
CREATE TEMP VIEW IF NOT EXISTS message AS
-- names by subqueries: a column that a statement does not use then costs nothing, which SQLite does not see of joins when it sums up
SELECT x.message_no, x.mid,
	(SELECT t.name FROM main.topic AS t WHERE t.run_no = x.run_no AND t.topic_no = x.topic_no) AS topic,
	(SELECT s.name FROM main.account AS s WHERE s.run_no = x.run_no AND s.account_no = x.sender_no) AS sender,
	(SELECT a.name FROM main.agent AS a WHERE a.run_no = x.run_no AND a.agent_no = x.agent_no) AS agent,
	(SELECT c.id FROM main.scenario AS c WHERE c.run_no = x.run_no AND c.scenario_no = x.scenario_no) AS scenario,
	coalesce((SELECT t.kind FROM main.topic AS t WHERE t.run_no = x.run_no AND t.topic_no = x.topic_no),
		(SELECT c.kind FROM main.scenario AS c WHERE c.run_no = x.run_no AND c.scenario_no = x.scenario_no)) AS kind,
	x.plan_t, x.first_pub, x.window_end, x.attempts, x.outcome, x.observed, x.persisted, x.class, x.code, x.seq, x.ack_t, x.ack_ns, x.expected, x."unique", x.late, x.unwitnessed, x.missing, x.duplicate,
	x.disconnected, x.copies, x.in_history, x.witness_conflict, x.anomalies, x.last_layer, x.place
FROM main.message AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND x.excluded = 0;
