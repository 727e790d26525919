/* tests/lib/json-at.h - what a JSON document has at a path. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

/* The value at keys and indices with '/' between; NULL: not there or null. Borrows from `o`. */
static inline struct json_object *
json_at(struct json_object *o, const char *path)
{
	while (o != NULL && *path != '\0') {
		char key[64];
		size_t n = strcspn(path, "/");

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		o = json_object_is_type(o, json_type_array) ? json_object_array_get_idx(o, strtoul(key, NULL, 10)) :
							      json_object_object_get(o, key);
		path += n + (path[n] == '/');
	}
	return o;
}
