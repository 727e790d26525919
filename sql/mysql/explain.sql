-- {statement}
EXPLAIN {statement};
