/* lab_json.h - JSON as the server's language prints it: keys sorted, <>& escaped, times with milliseconds and no trailing zeros.
 *
 * Everything is appended to a buffer; check it once at the end. Not thread-safe per buffer. */
#pragma once
#include <json-c/json.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

void go_string(struct buf *out, struct slice s); /* with its quotes */
void go_value(struct buf *out, struct json_object *v);
void go_time(struct buf *out, int64_t ns); /* with its quotes */

/* {"ctrl":{...}}: `id`, `topic` and `params` (an object, written) are left out when empty. */
void go_ctrl(struct buf *out, struct slice id, struct slice topic, struct slice params, int code, const char *text, int64_t ts);

/* Read: the one value of the text, NULL when it is not JSON. The caller owns it. */
struct json_object *json_parse(struct slice text);
/* A member of an object of the wanted kind; none, "", 0 or `otherwise` when there is no such. Borrowed. */
struct json_object *json_member(struct json_object *o, const char *key);
struct slice json_str(struct json_object *o, const char *key);
int64_t json_int(struct json_object *o, const char *key, int64_t otherwise);
bool json_true(struct json_object *o, const char *key);
