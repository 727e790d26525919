-- Dead letters whose mid fits {condition}.
SELECT {mid}, {topic}, {time}, {error}, {code}, {kafka_topic}, {state} FROM {table} WHERE {mid} {condition}{tenant};
