-- Whose file it is and of which version.
SELECT a.application_id, v.user_version, (SELECT count(*) FROM main.sqlite_schema)
FROM pragma_application_id AS a, pragma_user_version AS v;
