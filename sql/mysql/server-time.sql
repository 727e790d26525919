-- A time that the server wrote in its own zone, as Unix seconds. {time}
SELECT TIMESTAMPDIFF(SECOND, '1970-01-01 00:00:00', CONVERT_TZ({time}, 'SYSTEM', '+00:00'));
