-- topic: topics that are listed or seen.
--
--   topic             name
--   kind              p2p | group; NULL: not known
--   listed            1: stands in topics.jsonl, once or with equal members
--   members           how many
--   offline_members   as topics.jsonl says
CREATE TEMP VIEW IF NOT EXISTS topic AS
SELECT x.name AS topic, x.kind, x.listed, x.members, x.offline_members
FROM main.topic AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
