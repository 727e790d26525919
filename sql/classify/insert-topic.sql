-- ?1 run_no, ?2 topic_no, ?3 name, ?4 kind, ?5 listed, ?6 members, ?7 offline_members
INSERT INTO main.topic (
	run_no, topic_no, name, kind, listed, members, offline_members
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7
)
