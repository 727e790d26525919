-- Rows of messages whose mid fits {condition}.
SELECT {mid}, {topic}, {seq}, {id}, {time} FROM {table} WHERE {mid} {condition}{tenant};
