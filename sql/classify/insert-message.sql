-- ?1 run_no, ?2 message_no, ?3 mid, ?4 topic_no, ?5 sender_no, ?6 agent_no, ?7 scenario_no, ?8 excluded, ?9 plan_t,
-- ?10 first_pub, ?11 window_end, ?12 attempts, ?13 outcome, ?14 observed, ?15 persisted, ?16 class, ?17 code, ?18 seq,
-- ?19 ack_t, ?20 ack_ns, ?21 expected, ?22 unique, ?23 late, ?24 unwitnessed, ?25 missing, ?26 duplicate,
-- ?27 disconnected, ?28 copies, ?29 in_history, ?30 witness_conflict, ?31 anomalies, ?32 last_layer, ?33 place
INSERT INTO main.message (
	run_no, message_no, mid, topic_no, sender_no, agent_no, scenario_no, excluded, plan_t, first_pub, window_end,
	attempts, outcome, observed, persisted, class, code, seq, ack_t, ack_ns, expected, "unique", late, unwitnessed,
	missing, duplicate, disconnected, copies, in_history, witness_conflict, anomalies, last_layer, place
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25,
	?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33
)
