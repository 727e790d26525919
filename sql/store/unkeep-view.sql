-- The statements that take away the view of that name, and the table behind it. :view
SELECT 'DROP VIEW IF EXISTS temp.' || :view || '; DROP TABLE IF EXISTS temp.kept_' || :view || ';';
