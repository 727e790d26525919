-- Was an agent watching all through a time span? :run_no, :agent_no, :from, :to (both included)
SELECT EXISTS (SELECT 1 FROM main.stretch
	WHERE run_no = :run_no AND agent_no = :agent_no AND from_t <= :from AND to_t >= :to);
