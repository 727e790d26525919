-- CALL messages_fill(total, large): rows in the order of the primary key, the same for the same arguments.
--
-- `total`, in whole millions, is the number of ids; one comes every 250 ms. `large` is in steps of 50,000. Of 20 ids that follow each
-- other 14 are in p2p topics and 6 in groups, as the table `mix` says; the largest group has 15 % of all rows. Two runs are among them:
--
--	lt-large-	`large` messages, every second id from half of the ids on;
--	lt-bench-	20,000 messages, every third id from nine tenths on.
--
-- Both sent half of their messages to the group grpLt, and half to the 1,000 p2p topics p2pLt..., in turn: what is looked for stands
-- in topics that hold much more than that.
CREATE TABLE mix (
	place INT PRIMARY KEY,	-- id modulo 20
	first INT, width INT,	-- the places that one kind of topics has
	topics BIGINT,		-- how many of that kind, used in turn
	prefix VARCHAR(8), base BIGINT
);

DELIMITER //
CREATE PROCEDURE mix_kind(first INT, width INT, topics BIGINT, prefix VARCHAR(8), base BIGINT)
	INSERT INTO mix SELECT first + seq, first, width, topics, prefix, base FROM seq_0_to_19 WHERE seq < width
//

-- The n ids after `lo`, but for every step-th (0: none), which a run has.
CREATE PROCEDURE fill_background(lo BIGINT, n BIGINT, step INT)
	INSERT INTO messages (id, createdat, topic, seqid, `from`, head, client_mid, content)
	SELECT i + 1, FROM_UNIXTIME(1780000000 + i / 4), CONCAT(prefix, LPAD(base + (slot * 7919 + turn * 127) % topics, 11, '0')),
		turn + 1, 600000000000000000 + base + slot * 2 + i % 2, CONCAT('{"x-im-client-mid":"', mid, '"}'), mid,
		CONCAT('"load ', i, '"')
	FROM (
		SELECT i, prefix, base, topics, nth % topics AS slot, nth DIV topics AS turn,
			CONCAT('m-', LOWER(HEX(i * 45678901237 & 0xffffffffff))) AS mid -- a permutation: its index is not built in order
		FROM (
			SELECT i, prefix, base, topics, i DIV 20 * width + place - first AS nth
			FROM (SELECT lo + seq AS i FROM seq_0_to_99999 WHERE seq < n) AS ids
			STRAIGHT_JOIN mix ON place = i % 20
		) AS numbered
	) AS placed
	WHERE step = 0 OR i % step
//

-- Messages first ... first+n-1 of a run, one at every step-th id after `lo`; `earlier`: what another run has sent to the same topics.
CREATE PROCEDURE fill_run(run_prefix VARCHAR(16), lo BIGINT, first BIGINT, n BIGINT, step INT, earlier BIGINT)
	INSERT INTO messages (id, createdat, topic, seqid, `from`, head, client_mid, content)
	SELECT i + 1, FROM_UNIXTIME(1780000000 + i / 4), topic, seqid, 700000000000000000 + k % 1000,
		CONCAT('{"x-im-client-mid":"', mid, '"}'), mid, CONCAT('"load ', i, '"')
	FROM (
		SELECT k, lo + (k - first) * step AS i, CONCAT(run_prefix, LPAD(k, 7, '0')) AS mid,
			IF(k % 2, 'grpLt', CONCAT('p2pLt', LPAD(k DIV 2 % 1000, 9, '0'))) AS topic,
			IF(k % 2, earlier DIV 2 + k DIV 2, earlier DIV 2000 + k DIV 2000) + 1 AS seqid
		FROM (SELECT first + seq AS k FROM seq_0_to_99999 WHERE seq < n) AS messages_of_run
	) AS placed
//

CREATE PROCEDURE messages_fill(total BIGINT, large BIGINT)
BEGIN
	DECLARE lo BIGINT DEFAULT 0;
	DECLARE first_large BIGINT DEFAULT total DIV 2;
	DECLARE first_bench BIGINT DEFAULT total DIV 10 * 9;
	CALL mix_kind(0, 3, 1, 'grp', 0);
	CALL mix_kind(3, 2, 1, 'grp', 1);
	CALL mix_kind(5, 1, 5, 'grp', 2);
	CALL mix_kind(6, 7, total DIV 5000, 'p2p', 0);
	CALL mix_kind(13, 5, total DIV 500, 'p2p', 100000000);
	CALL mix_kind(18, 2, total DIV 100, 'p2p', 200000000);
	WHILE lo < total DO
		-- 100,000 ids at a time: their pages are still in memory when a run's rows go between them
		IF lo BETWEEN first_large AND first_large + 2 * large - 1 THEN
			CALL fill_background(lo, 100000, 2);
			CALL fill_run('lt-large-', lo, (lo - first_large) DIV 2, 50000, 2, 0);
		ELSEIF lo = first_bench THEN
			CALL fill_background(lo, 60000, 3);
			CALL fill_run('lt-bench-', lo, 0, 20000, 3, large);
			CALL fill_background(lo + 60000, 40000, 0);
		ELSE
			CALL fill_background(lo, 100000, 0);
		END IF;
		SET lo = lo + 100000;
	END WHILE;
	DROP TABLE mix;
END
//
DELIMITER ;
