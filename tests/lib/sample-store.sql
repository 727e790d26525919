-- A tiny run by hand: what report tests read without an ingest. The figures fit the messages, and names try what they can do to a
-- report: "p2p|<b>`1`" is a topic, "a|0001" an account, the mid m3 carries an escape sequence.
--
-- Plan: 5 p2p messages of scenario s1. m1 is fine; m2 is stored, but its receiver b1 never got it; m3 is lost from storage and
-- was never delivered; m4 got no answer; m5 was never tried. Agent a left a ledger, b was cut off, c is absent.
INSERT INTO run VALUES (7, 'demo-1', '/nowhere', 1, 'x', 1, 't008', 'tinode', 'release', 0, NULL, 'lt-', NULL, 2, 1, 1, 1);
INSERT INTO run_system VALUES (7, 'mysql');
INSERT INTO agent VALUES (7, 0, 'a', 1, 1, 0, 12, 11, NULL), (7, 1, 'b', 1, 1, 1, 3, 5, 2500000), (7, 2, 'c', 1, 0, 0, 0, NULL, NULL);
INSERT INTO stretch VALUES (7, 0, 1790000000000000000, 1790000060000000000, 1), (7, 1, 1790000000000000000, 1790000060000000000, 0);
INSERT INTO file VALUES
	(7, 0, 'agents/a/a.jsonl', 'ledger', 0, 1234, 'aa00000000000000000000000000000000000000000000000000000000000001', NULL, 'none', 13, 13, 12, 1, 0, 0, 0),
	(7, 1, 'agents/b/b.jsonl', 'ledger', 1, 345, 'bb00000000000000000000000000000000000000000000000000000000000002', 'mismatch', 'none', 3, 3, 3, 0, 0, 0, 0),
	(7, 2, 'notes.txt', 'unread', NULL, 6, 'cc00000000000000000000000000000000000000000000000000000000000003', NULL, 'none', 0, 0, 0, 0, 0, 0, 0);
INSERT INTO damage VALUES (7, 0, 0, 9, 'rejected', 'a torn line: {"ev":"data","to":"<i>');
INSERT INTO account VALUES (7, 0, 'a|0001', NULL, 0, 1, 1, 0), (7, 1, 'b1', NULL, 1, 1, 1, 0);
INSERT INTO topic VALUES (7, 0, 'p2p|<b>`1`', 'p2p', 1, 2, NULL);
INSERT INTO member VALUES (7, 0, 0, 0), (7, 0, 1, 1);
INSERT INTO scenario VALUES (7, 0, 's1', 'p2p', 5, 30000000000, 0, 1790000000000000000, 1790000003000000000, 1790000033000000000);
INSERT INTO expectation VALUES (7, 0, 0, x'03');
INSERT INTO mark VALUES (7, 'load_start', 1790000000000000000, 'derived'), (7, 'load_end', 1790000003000000000, 'timeline');
INSERT INTO conn VALUES (7, 0, 0, 1789999999000000000, 'ready', NULL, NULL, NULL, NULL, 0, 1), (7, 1, 0, 1789999999000000000, 'ready', NULL, NULL, NULL, NULL, 1, 1);
INSERT INTO message VALUES
	(7, 0, 'm1', 0, 0, 0, 0, 0, NULL, 1790000000000000000, 1790000033000000000, 1, 'acked', 'full', 'exact', 'ok', 202, 1,
		1790000000003113900, 3113900, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, '', NULL, NULL),
	(7, 1, 'm2', 0, 0, 0, 0, 0, NULL, 1790000001000000000, 1790000033000000000, 1, 'acked', 'none', 'exact', 'lost_realtime_persisted',
		202, 2, 1790000001004000000, 4000000, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, '', NULL, NULL),
	(7, 2, 'm3' || char(27) || '[2J', 0, 0, 0, 0, 0, NULL, 1790000002000000000, 1790000033000000000, 1, 'acked', 'none', 'absent',
		'durable_lost', 202, 3, 1790000002005000000, 5000000, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 'late_ack', 'nowhere', 'after_last'),
	(7, 3, 'm4', 0, 0, 0, 0, 0, NULL, 1790000003000000000, 1790000033000000000, 1, 'unknown', 'none', 'absent', 'unknown_absent',
		NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', NULL, NULL);
INSERT INTO attempt VALUES (7, 0, 0, 'pub', 1790000000000000000, NULL, 0, 0, 1, NULL, NULL, NULL, 0, 2),
	(7, 2, 0, 'pub', 1790000002000000000, NULL, 0, 0, 1, NULL, NULL, NULL, 0, 6);
INSERT INTO answer VALUES (7, 0, 0, 'ctrl', 1790000000003113900, 0, 202, 1, NULL, NULL, 'accepted', 0, 3);
INSERT INTO extra_copy VALUES (7, 0, 1, 1790000000010000000, 0, 'first', 1, 0);
INSERT INTO ingest_count VALUES (7, 'files', 3), (7, 'lines', 16), (7, 'records', 16), (7, 'events', 15), (7, 'rejected', 1),
	(7, 'repaired', 0), (7, 'resent', 0), (7, 'unknown_events', 0), (7, 'unknown_keys', 2), (7, 'foreign.data', 4);
INSERT INTO source VALUES
	(7, 0, 'log', 'im-0', 'im-0', NULL, 'cri', 1790000000000000000, 1790000005000000000, 40, 0, 1000000000, 0, 0, 0, 0, 0, 'anchored', 0, NULL, NULL),
	(7, 1, 'log', 'im-1', 'im-1', NULL, 'go', NULL, NULL, 7, 2, 3000000000, 1, 0, 0, 1, 4, 'unknown', NULL, 'rotated | twice', NULL);
-- m2 was missing at the first check of the database and is there at the second, from a letter that was replayed.
INSERT INTO db_query VALUES (7, 0, 'rows', 1790000050000000000, 'messages', NULL, 1, 0, 0, 1, NULL, 1, 0, 4),
	(7, 1, 'rows', 1790000100000000000, 'messages', NULL, 1, 1, 1, 1, NULL, 2, 0, 6);
INSERT INTO db_row VALUES (7, 0, 1, 'messages', 'p2p|<b>`1`', 2, '12', NULL, 2, 0, 5);
INSERT INTO dead_letter VALUES (7, 0, 1, 1790000060000000000, 'Out of range', 1264, NULL, NULL, 'replayed', 2, 1, 2);
INSERT INTO schema_column VALUES (7, 0, 'messages', 'id', 'int', NULL, NULL, 0, 7, 1790000050000000000),
	(7, 1, 'messages', 'id', 'big|int', NULL, NULL, 0, 8, 1790000100000000000);
INSERT INTO server_identity VALUES (7, 0, 1790000040000000000, 'final', 'mysql', 'ma|in', '10.0.0.1:3306', '10.11', 'one', 'primary', 1, 1),
	(7, 1, 1790000090000000000, 'recheck', 'mysql', 'ma|in', '10.0.0.2:3306', '10.11', 'two', 'replica', 1, 2);
INSERT INTO collected VALUES
	(7, 0, 1790000041000000000, 'final', 'mysql', 'ma|in', 'rows of messages', 'SELECT 1', 'db/rows.jsonl', 'ok', NULL, 7, 1, 1, 1, 2),
	(7, 1, 1790000042000000000, 'final', 'mysql', 'ma|in', 'dead | <letters>', NULL, 'db/dead.jsonl', 'denied', 'SELECT on `im`|' || char(27), 7, NULL, 1, 1, 3),
	(7, 2, 1790000043000000000, 'final', 'mysql', 'ma|in', 'dead | <letters>', NULL, NULL, 'timeout', NULL, 7, NULL, 1, 1, 3),
	(7, 3, 1790000044000000000, 'final', 'mysql', 'ma|in', 'dead | <letters>', NULL, NULL, 'timeout', NULL, 7, NULL, 1, 1, 3);
INSERT INTO finding VALUES (7, 0, 'file.equal_across_agents', 'two agents left the same bytes | twice', 1, 0, 1);
INSERT INTO figure (run_no, scope, id, name, value)
SELECT 7, scope.column1, scope.column2, f.column1, f.column2
FROM (VALUES ('total', ''), ('scenario', 's1'), ('agent', 'a')) AS scope, (VALUES
	('planned', 5), ('attempted', 4), ('acked', 3), ('rejected', 0), ('unknown', 1), ('unsent', 0), ('never_tried', 1), ('excluded', 0),
	('accounts.planned', 2), ('accounts.ready', 2), ('accounts.disconnects_in_load', 0),
	('by_code.202', 3), ('by_fail.timeout', 1),
	('classes.ok', 1), ('classes.durable_lost', 1), ('classes.lost_realtime_persisted', 1), ('classes.unknown_absent', 1),
	('classes.rejected', 0),
	('delivery.expected', 3), ('delivery.unique', 1), ('delivery.late', 0), ('delivery.unwitnessed', 0), ('delivery.missing', 2),
	('delivery.duplicate', 0), ('delivery.receiver_disconnected', 0), ('delivery.echo', 0), ('delivery.missing_upper_bound', 0),
	('persistence.exact', 2), ('persistence.absent', 1), ('persistence.unchecked', 0), ('persistence.history_found', NULL),
	('rates.accept_rate', 0.75), ('rates.loss_rate', 2.0 / 3), ('rates.late_rate', 0.0), ('rates.persistence_loss', 1.0 / 3),
	('latency_ms.ack.n', 3), ('latency_ms.ack.p50', 4000000), ('latency_ms.ack.p95', 5000000), ('latency_ms.ack.p99', 5000000),
	('latency_ms.ack.p999', 5000000), ('latency_ms.ack.max', 5000000), ('latency_ms.ack.mean', 4037967), ('latency_ms.ack.valid', 1),
	('latency_ms.ack.ambiguous', 0),
	('latency_ms.delivery.n', 1), ('latency_ms.delivery.p50', 10000001), ('latency_ms.delivery.valid', 0),
	('latency_ms.delivery.why', 'no clock measurement of agent a'),
	('anomalies.late_ack', 1)) AS f;
INSERT INTO matrix
SELECT 7, scope.column1, scope.column2, c.column1, c.column2, c.column3, 1
FROM (VALUES ('total', ''), ('scenario', 's1'), ('agent', 'a')) AS scope, (VALUES ('acked', 'full', 'exact'), ('acked', 'none', 'absent'),
	('acked', 'none', 'exact'), ('unknown', 'none', 'absent')) AS c;
