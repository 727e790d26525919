/* Any bytes as a frame of the server: the one pass and json-c say the same of every message that the pass takes. */
#include "config.h"

#include "agent/wire.h"
#include "fuzz.h"

static bool
same(struct slice a, struct slice b)
{
	return (a.p == NULL) == (b.p == NULL) && slice_eq(a, b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_reader r = { .tokener = NULL };
	struct slice frame = { (const char *)data, size }, text;
	struct wire_message m, any;

	while (wire_next(&frame, &text)) {
		wire_read(&r, text, &m);
		must(m.kind < _WIRE_KIND_MAX);
		if (!wire_read_plain(text, &m))
			continue;
		wire_read_any(&r, text, &any);
		must(m.kind == any.kind && m.code == any.code && m.seq == any.seq && m.count == any.count);
		must(same(m.id, any.id) && same(m.topic, any.topic) && same(m.text, any.text) && same(m.what, any.what));
		must(same(m.user, any.user) && same(m.token, any.token) && same(m.tmpname, any.tmpname));
		must(same(m.from, any.from) && same(m.mid, any.mid) && same(m.run_id, any.run_id) && same(m.src, any.src));
	}
	wire_reader_done(&r);
	return 0;
}
