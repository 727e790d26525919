/* Any bytes as the value of a Kafka record, looked at by each kind of field: what is found is no longer than what was there, and the
 * same field finds the same once more. */
#include "config.h"

#include "base/buf.h"
#include "collect/kafka_field.h"
#include "fuzz.h"

static bool
header_of(const void *ctx, const char *name, struct slice *ret)
{
	(void)name;
	*ret = *(const struct slice *)ctx;
	return ret->n > 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char document[] =
	    "fields: [{json: /mid}, {json: [/a, /b, /0]}, {json: /}, {key: true}, {header: h, match: 'E(\\d+)'},\n"
	    " {value: true, match: '\"mid\":\"([^\"]*)\"'}, {value: true, match: '(a*)*b'}]";
	struct slice bytes = { (const char *)data, size };
	struct buf out = BUF_INIT(KAFKA_FIELD_BYTES_MAX), again = BUF_INIT(KAFKA_FIELD_BYTES_MAX);
	struct kafka_record record = { .key = bytes, .value = bytes, .header = header_of, .ctx = &bytes };
	struct arena arena = { 0 };
	struct doc_node *root;

	must(doc_parse(&arena, "f", slice_of(document), &root, NULL) == IMP_OK);
	for (const struct doc_node *n = root->first->first; n != NULL; n = n->next) {
		struct kafka_field field;

		must(kafka_field_read(&arena, n, NULL, &field, NULL) == IMP_OK);
		if (kafka_field_get(&field, &record, &out)) {
			must(out.failed == IMP_OK && (field.npointers > 0 || out.n <= size));
			must(kafka_field_get(&field, &record, &again) && slice_eq(buf_slice(&out), buf_slice(&again)));
		}
		kafka_field_done(&field);
	}
	kafka_record_done(&record);
	buf_done(&out);
	buf_done(&again);
	arena_done(&arena);
	return 0;
}
