-- In the form that all servers know, whatever their default is. {statement}
EXPLAIN FORMAT=TRADITIONAL {statement};
