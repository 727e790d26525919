-- The virtual tables that a sealed connection may use: SQLite makes each known to itself when a statement first names it, which the
-- authorizer would refuse.
SELECT 1 FROM delivery, missing, duplicate, json_each, json_tree;
