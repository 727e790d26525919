#include "config.h"

#include "ingest/log_line.h"
#include "ingest/record_text.h"

struct member {
	struct slice name;
	struct record_value value;
	bool there;
};

enum object_rc { OBJECT_OK, OBJECT_BAD, OBJECT_NOMEM };

/* The wanted members of the object at line.p; others are checked and skipped. */
static enum object_rc
read_members(struct log_line_reader *r, struct slice line, struct member *want, size_t n)
{
	struct record_text t = { .end = line.p + line.n, .scratch = &r->scratch };
	const char *p = record_skip_space(&t, line.p + 1);

	r->scratch.n = 0;
	for (size_t i = 0; i < n; i++)
		want[i].there = false;
	for (bool more = record_byte(&t, p) != '}'; more; more = record_byte(&t, p) == ',') {
		struct slice name;
		struct record_value v;

		p = record_byte(&t, p) == ',' ? record_skip_space(&t, p + 1) : p;
		p = record_read_name(&t, p, &name);
		p = p != NULL ? record_read_value(&t, p, &v) : NULL;
		if (p == NULL)
			return t.nomem ? OBJECT_NOMEM : OBJECT_BAD;
		for (size_t i = 0; i < n; i++) {
			if (v.type == REC_STRING && slice_eq(name, want[i].name)) {
				want[i].value = v;
				want[i].there = true;
			}
		}
		p = record_skip_space(&t, p);
	}
	return record_byte(&t, p) == '}' ? OBJECT_OK : OBJECT_BAD;
}

static enum imp_rc
no_memory(struct slice line, struct imp_err *err)
{
	return imp_err_set(err, IMP_E_NOMEM, "out of memory: a line of %zu bytes", line.n);
}

/* Without one line feed and a carriage return before it. */
static bool
take_feed(struct slice *s)
{
	if (s->n == 0 || s->p[s->n - 1] != '\n')
		return false;
	s->n--;
	s->n -= s->n > 0 && s->p[s->n - 1] == '\r';
	return true;
}

/* The line as it stands: the collector's own words, or half of an object. */
static struct log_line
not_an_object(struct slice line)
{
	if (line.n > 0 && line.p[0] == '{')
		return (struct log_line){ .pipe = LOG_EITHER, .nothing = true, .damage = "half of a JSON line" };
	return (struct log_line){ .pipe = LOG_EITHER, .raw = true, .text = line };
}

enum imp_rc
log_docker_read(struct log_line_reader *r, struct slice line, struct log_line *ret, struct imp_err *err)
{
	static const struct slice start = SLICE("{\"log\":");
	struct member m[] = { { .name = SLICE("log") }, { .name = SLICE("stream") }, { .name = SLICE("time") } };
	struct log_line l = { .pipe = LOG_EITHER };
	enum object_rc got = OBJECT_BAD;
	struct slice rest = line;

	while (rest.n > 0 && rest.p[0] == '{') {
		const char *again;

		got = read_members(r, rest, m, 3);
		if (got != OBJECT_BAD)
			break;
		l.damage = "half of a JSON line"; /* and perhaps a whole one behind it */
		again = memmem(rest.p + 1, rest.n - 1, start.p, start.n);
		rest = again != NULL ? (struct slice){ again, rest.n - (size_t)(again - rest.p) } : (struct slice){ rest.p, 0 };
	}
	if (got == OBJECT_NOMEM)
		return no_memory(line, err);
	if (got == OBJECT_BAD) {
		*ret = not_an_object(line);
		return IMP_OK;
	}
	if (m[1].there)
		l.pipe = slice_eq(m[1].value.s, SLICE("stdout")) ? LOG_STDOUT :
		    slice_eq(m[1].value.s, SLICE("stderr"))	 ? LOG_STDERR :
								   LOG_EITHER;
	if (m[2].there && (!log_time_of_json(&r->clock, m[2].value.s, &l.t) || l.t.kind != LOG_ABSOLUTE))
		l.t = (struct log_time){ .kind = LOG_UNDATED };
	if (m[0].there) {
		l.text = m[0].value.s;
		l.partial = !take_feed(&l.text);
	} else {
		l.nothing = true;
	}
	*ret = l;
	return IMP_OK;
}

enum imp_rc
log_stern_json_read(struct log_line_reader *r, struct slice line, struct log_line *ret, struct imp_err *err)
{
	struct member m[] = { { .name = SLICE("message") }, { .name = SLICE("podName") }, { .name = SLICE("containerName") },
		{ .name = SLICE("timestamp") } };
	struct log_line l = { .pipe = LOG_EITHER };
	enum object_rc got = line.n > 0 && line.p[0] == '{' ? read_members(r, line, m, 4) : OBJECT_BAD;
	size_t end;

	if (got == OBJECT_NOMEM)
		return no_memory(line, err);
	if (got == OBJECT_BAD || !m[0].there) {
		*ret = not_an_object(line);
		return IMP_OK;
	}
	l.text = m[0].value.s;
	take_feed(&l.text);
	l.pod = m[1].there ? m[1].value.s : (struct slice){ NULL, 0 };
	l.container = m[2].there ? m[2].value.s : (struct slice){ NULL, 0 };
	if (m[3].there) {
		if (!log_time_of_json(&r->clock, m[3].value.s, &l.t) || l.t.kind != LOG_ABSOLUTE)
			l.t = (struct log_time){ .kind = LOG_UNDATED };
	} else if (log_time_read(&r->clock, l.text, &l.t, &end) && l.t.kind == LOG_ABSOLUTE && end < l.text.n &&
	    l.text.p[end] == ' ') {
		l.text = (struct slice){ l.text.p + end + 1, l.text.n - end - 1 }; /* older versions put it there */
	} else {
		l.t = (struct log_time){ .kind = LOG_UNDATED };
	}
	*ret = l;
	return IMP_OK;
}
