/* Any bytes as what a Redis server sends: parsed by hiredis, then taken for each of the answers that become documents. Whatever comes out
 * is JSON that can be read. */
#include "config.h"

#include <json-c/json.h>

#include "base/buf.h"
#include "collect/redis.h"
#include "fuzz.h"

#define OUTPUT_MAX ((size_t)64 << 20)

static void
check_document(const struct buf *out, enum json_type type)
{
	struct json_object *o = json_tokener_parse(out->p);

	must(o != NULL && json_object_get_type(o) == type);
	json_object_put(o);
}

static void
check_reply(const redisReply *r)
{
	struct buf slowlog = BUF_INIT(OUTPUT_MAX), latency = BUF_INIT(OUTPUT_MAX);
	size_t events = r->type == REDIS_REPLY_ARRAY ? r->elements : 0;
	redisReply **histories = calloc(events + 1, sizeof(*histories));
	uint64_t n = 0;

	must(histories != NULL);
	for (size_t i = 0; i < events; i++) /* anything may stand there too */
		histories[i] = r->element[events - 1 - i];
	if (redis_write_slowlog(&slowlog, r, &n, NULL) == IMP_OK) {
		must(n == events);
		check_document(&slowlog, json_type_array);
	}
	if (redis_write_latency(&latency, r, histories, &n, NULL) == IMP_OK) {
		must(n == events);
		check_document(&latency, json_type_object);
	}
	if (r->type == REDIS_REPLY_STRING) {
		struct slice info = { r->str, (size_t)r->len }, v = redis_info_value(info, "redis_version");

		must(v.p == NULL || (v.p >= info.p && v.p + v.n <= info.p + info.n && memchr(v.p, '\n', v.n) == NULL));
	}
	buf_done(&slowlog);
	buf_done(&latency);
	free(histories);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	redisReplyObjectFunctions make;
	redisReader *reader = redis_reader_new(&make);
	void *r = NULL;

	must(reader != NULL);
	redisReaderFeed(reader, (const char *)data, size);
	while (redisReaderGetReply(reader, &r) == REDIS_OK && r != NULL) {
		check_reply(r);
		freeReplyObject(r);
		r = NULL;
	}
	redisReaderFree(reader);
	return 0;
}
