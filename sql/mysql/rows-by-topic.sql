-- One step down a topic, from the newest message to the oldest.
SELECT {mid}, {topic}, {seq}, {id}, {time} FROM {table}
	WHERE {topic} = {name} AND {seq} < {below}{tenant} ORDER BY {seq} DESC LIMIT {page};
