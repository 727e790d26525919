-- What MySQL may spend on a statement that only reads. {milliseconds}
SET SESSION max_execution_time = {milliseconds};
