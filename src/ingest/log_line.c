#include "config.h"

#include "ingest/log_line.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 253 /* of a pod or container */
#define GLUE_LOOK_MAX 4096 /* where a torn header may be followed by a whole one */
#define TIME_BYTES_MAX 35  /* with nine digits and an offset */

void
log_line_reader_done(struct log_line_reader *r)
{
	free(r->scratch.p);
	free(r->plain);
}

static struct slice
from(struct slice s, size_t n)
{
	return (struct slice){ s.p + n, s.n - n };
}

/* The bytes before the next blank (all when there is none), and *s behind it. */
static struct slice
take_token(struct slice *s)
{
	const char *blank = memchr(s->p, ' ', s->n);
	struct slice token = { s->p, blank != NULL ? (size_t)(blank - s->p) : s->n };

	*s = from(*s, token.n + (blank != NULL));
	return token;
}

/* A time with zone and the blank behind it at the start of *s: taken off. */
static bool
take_time(struct log_clock *c, struct slice *s, struct log_time *ret)
{
	struct log_time t;
	size_t end;

	if (s->n == 0 || s->p[0] < '0' || s->p[0] > '9' || !log_time_read(c, *s, &t, &end) || t.kind != LOG_ABSOLUTE ||
	    (end < s->n && s->p[end] != ' '))
		return false;
	*s = from(*s, end + (end < s->n));
	*ret = t;
	return true;
}

/* ------------------------------------------------------------------ CRI */

static bool
take_pipe(struct slice *s, enum log_pipe *ret)
{
	bool out = slice_has_prefix(*s, SLICE("stdout"));

	if ((!out && !slice_has_prefix(*s, SLICE("stderr"))) || (s->n > 6 && s->p[6] != ' '))
		return false;
	*s = from(*s, s->n > 6 ? 7 : 6);
	*ret = out ? LOG_STDOUT : LOG_STDERR;
	return true;
}

/* P or F, and tags behind a colon that mean nothing to us. */
static bool
take_tag(struct slice *s, bool *ret_partial)
{
	struct slice rest = *s, tag = take_token(&rest);

	if (tag.n == 0 || (tag.p[0] != 'P' && tag.p[0] != 'F') || (tag.n > 1 && tag.p[1] != ':'))
		return false;
	*ret_partial = tag.p[0] == 'P';
	*s = rest;
	return true;
}

/* A header behind a torn one: `2026-...Z std2026-...Z stdout F ...`. *ret begins at its time. */
static bool
find_header(struct log_clock *c, struct slice s, struct slice *ret)
{
	size_t look = s.n < GLUE_LOOK_MAX ? s.n : GLUE_LOOK_MAX;

	for (size_t i = 1; i + 8 < look; i++) {
		struct slice rest;
		struct log_time t;
		enum log_pipe pipe;

		if (s.p[i] != ' ' || s.p[i + 1] != 's' || s.p[i + 2] != 't' || s.p[i + 3] != 'd')
			continue;
		for (size_t from_at = i > TIME_BYTES_MAX ? i - TIME_BYTES_MAX : 0; from_at < i; from_at++) {
			rest = from(s, from_at);
			if (take_time(c, &rest, &t) && rest.p == s.p + i + 1 && take_pipe(&rest, &pipe)) {
				*ret = from(s, from_at);
				return true;
			}
		}
	}
	return false;
}

bool
log_cri_read(struct log_clock *c, struct slice line, struct log_line *ret)
{
	struct log_line l = { .pipe = LOG_EITHER };
	struct slice rest = line, after, again;
	struct log_time t;
	bool torn = false;

	if (!take_time(c, &rest, &l.t))
		return false;
	for (;;) {
		if (!take_pipe(&rest, &l.pipe))
			torn = true;
		else if (take_tag(&rest, &l.partial))
			break;
		after = rest;
		if (torn || take_time(c, &after, &t)) {
			/* what stood behind this header is lost when another one follows */
			if (find_header(c, torn ? from(line, 1) : rest, &again)) {
				line = rest = again;
				torn = false;
				l.damage = "a header of the runtime in the place of a line";
				if (take_time(c, &rest, &l.t))
					continue;
			}
			if (torn)
				return false;
		}
		l.odd = "CRI lines without a tag"; /* as the first versions wrote them */
		break;
	}
	l.text = rest;
	*ret = l;
	return true;
}

/* ------------------------------------------------------------------ kubectl, stern */

/* `[pod/POD/CONTAINER] `, whose container may be empty. */
static bool
take_prefix(struct slice *s, struct log_line *l)
{
	const char *slash, *close;

	if (!slice_has_prefix(*s, SLICE("[pod/")))
		return false;
	close = memchr(s->p, ']', s->n < 2 * NAME_MAX_BYTES ? s->n : 2 * NAME_MAX_BYTES);
	slash = close != NULL ? memchr(s->p + 5, '/', (size_t)(close - s->p - 5)) : NULL;
	if (slash == NULL)
		return false;
	l->pod = (struct slice){ s->p + 5, (size_t)(slash - s->p - 5) };
	l->container = (struct slice){ slash + 1, (size_t)(close - slash - 1) };
	*s = from(*s, (size_t)(close + 1 - s->p));
	if (s->n > 0 && s->p[0] == ' ')
		*s = from(*s, 1);
	return true;
}

static void
kubectl_read(struct log_line_reader *r, struct slice line, struct log_line *ret)
{
	struct log_line l = { .pipe = LOG_EITHER };
	bool prefixed = take_prefix(&line, &l), timed = take_time(&r->clock, &line, &l.t);

	l.text = line;
	l.raw = !prefixed && !timed;
	*ret = l;
}

/* Without the control sequences of a terminal. */
static enum imp_rc
strip_colours(struct log_line_reader *r, struct slice line, struct slice *ret, struct imp_err *err)
{
	size_t n = 0;

	if (memchr(line.p, '\033', line.n) == NULL) {
		*ret = line;
		return IMP_OK;
	}
	if (r->plain_cap < line.n) {
		char *p = realloc(r->plain, line.n + RECORD_PADDING);

		if (p == NULL)
			return imp_err_set(err, IMP_E_NOMEM, "out of memory: a line of %zu bytes", line.n);
		r->plain = p;
		r->plain_cap = line.n;
	}
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == '\033' && i + 1 < line.n && line.p[i + 1] == '[') {
			for (i += 2; i < line.n && (line.p[i] < '@' || line.p[i] > '~'); i++)
				;
			continue;
		}
		r->plain[n++] = line.p[i];
	}
	memset(r->plain + n, 0, RECORD_PADDING);
	*ret = (struct slice){ r->plain, n };
	return IMP_OK;
}

/* A name of Kubernetes: lower-case letters, digits, points and hyphens. */
static bool
is_name(struct slice s)
{
	if (s.n == 0 || s.n > NAME_MAX_BYTES || s.p[0] == '-' || s.p[0] == '.')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.')
			return false;
	}
	return true;
}

/* `+ POD › CONTAINER`, `- POD › CONTAINER`: stern began or ended to follow it. */
static bool
is_stern_mark(struct slice line)
{
	return line.n > 2 && (line.p[0] == '+' || line.p[0] == '-') && line.p[1] == ' ' && memmem(line.p, line.n, " › ", 5) != NULL;
}

static enum imp_rc
stern_read(struct log_line_reader *r, unsigned names, struct slice line, struct log_line *ret, struct imp_err *err)
{
	struct log_line l = { .pipe = LOG_EITHER };
	struct slice plain, rest;
	enum imp_rc rc = strip_colours(r, line, &plain, err);

	if (rc != IMP_OK)
		return rc;
	rest = plain;
	if (is_stern_mark(plain)) {
		l.nothing = true;
	} else {
		if (names == 3)
			take_token(&rest);
		l.pod = take_token(&rest);
		l.container = take_token(&rest);
		l.raw = !is_name(l.pod) || !is_name(l.container);
		if (l.raw)
			l = (struct log_line){ .pipe = LOG_EITHER, .raw = true, .text = plain };
		else if (take_time(&r->clock, &rest, &l.t) || true)
			l.text = rest;
	}
	*ret = l;
	return IMP_OK;
}

/* ------------------------------------------------------------------ all of them */

enum imp_rc
log_line_read(struct log_line_reader *r, const struct log_layout *l, struct slice line, struct log_line *ret, struct imp_err *err)
{
	const struct log_line raw = { .pipe = LOG_EITHER, .text = line, .raw = l->format != LOG_BARE };

	switch (l->format) {
	case LOG_CRI:
		if (!log_cri_read(&r->clock, line, ret))
			*ret = raw;
		return IMP_OK;
	case LOG_DOCKER:
		return log_docker_read(r, line, ret, err);
	case LOG_KUBECTL:
		kubectl_read(r, line, ret);
		return IMP_OK;
	case LOG_STERN:
		return stern_read(r, l->names, line, ret, err);
	case LOG_STERN_JSON:
		return log_stern_json_read(r, line, ret, err);
	default:
		*ret = raw;
		return IMP_OK;
	}
}

/* ------------------------------------------------------------------ which layout a file has */

const char *
log_layout_name(const struct log_layout *l)
{
	static const char *const formats[_LOG_FORMAT_MAX] = {
		[LOG_CRI] = "cri",
		[LOG_DOCKER] = "docker",
		[LOG_KUBECTL] = "kubectl",
		[LOG_STERN] = "stern",
		[LOG_STERN_JSON] = "stern",
		[LOG_LOKI] = "loki",
	};
	static const char *const styles[_LOG_STYLE_MAX] = { "text", "go", "klog", "json" };

	return l->format == LOG_BARE ? styles[l->style] : formats[l->format];
}

static enum log_style
style_of(struct log_clock *c, struct slice text)
{
	struct log_time t;

	if (!log_time_of_text(c, text, &t))
		return LOG_STYLE_TEXT;
	if (text.p[0] == '{')
		return LOG_STYLE_JSON;
	if (text.p[4] == '/' || text.p[5] == '/' || text.p[2] == ':' || text.p[3] == ':' || text.p[0] == '[')
		return LOG_STYLE_GO;
	return text.p[0] >= 'A' && text.p[0] <= 'Z' && text.p[5] == ' ' ? LOG_STYLE_KLOG : LOG_STYLE_TEXT;
}

/* Does a line of a program begin here? */
static bool
is_headed(struct log_clock *c, struct slice text)
{
	struct log_time t;

	return log_time_of_text(c, text, &t);
}

/* How many names stand before what is known as the start of a line: 2, 3, 0 for no such line. */
static unsigned
stern_names(struct log_clock *c, struct slice plain)
{
	struct slice rest = plain;

	if (!is_name(take_token(&rest)) || !is_name(take_token(&rest)))
		return 0;
	if (is_headed(c, rest))
		return 2;
	return is_name(take_token(&rest)) && is_headed(c, rest) ? 3 : 0;
}

static enum log_format
format_of_object(struct slice line)
{
	if (memmem(line.p, line.n, "\"resultType\"", 12) != NULL && memmem(line.p, line.n, "\"data\"", 6) != NULL)
		return LOG_LOKI;
	if (memmem(line.p, line.n, "\"podName\":", 10) != NULL && memmem(line.p, line.n, "\"message\":", 10) != NULL)
		return LOG_STERN_JSON;
	if (slice_has_prefix(line, SLICE("{\"log\":")) ||
	    (memmem(line.p, line.n, "\"stream\":\"std", 13) != NULL && memmem(line.p, line.n, "\"time\":", 7) != NULL))
		return LOG_DOCKER;
	return LOG_BARE;
}

enum imp_rc
log_sniff(struct log_line_reader *r, struct slice line, struct log_votes *votes, struct imp_err *err)
{
	struct log_line l = { .pipe = LOG_EITHER };
	enum log_format format = LOG_BARE;
	struct slice rest, plain;
	enum imp_rc rc;

	while (line.n > 0 && (line.p[0] == '\0' || line.p[0] == ' '))
		line = from(line, 1);
	if (line.n == 0)
		return IMP_OK;
	rest = line;
	rc = strip_colours(r, line, &plain, err);
	if (rc != IMP_OK)
		return rc;
	if (line.p[0] == '{') {
		format = format_of_object(line);
	} else if (log_cri_read(&r->clock, line, &l)) {
		format = LOG_CRI;
	} else if (take_prefix(&rest, &l)) {
		format = LOG_KUBECTL;
		votes->prefixed++;
	} else if (take_time(&r->clock, &rest, &l.t)) {
		/* kubectl writes nine digits, always; others are a program's own */
		format = rest.p - line.p >= 31 && line.p[19] == '.' ? LOG_KUBECTL : LOG_BARE;
	} else if (is_stern_mark(plain)) {
		return IMP_OK;
	} else {
		unsigned names = stern_names(&r->clock, plain);

		format = names > 0 ? LOG_STERN : LOG_BARE;
		votes->named3 += names == 3;
	}
	votes->lines++;
	votes->format[format]++;
	if (format == LOG_BARE)
		votes->style[style_of(&r->clock, line)]++;
	return IMP_OK;
}

struct log_layout
log_sniffed(const struct log_votes *votes)
{
	struct log_layout l = { .format = LOG_BARE, .names = 2 };

	for (int f = LOG_BARE + 1; f < _LOG_FORMAT_MAX; f++) {
		if (votes->format[f] > (l.format == LOG_BARE ? 0 : votes->format[l.format]))
			l.format = (enum log_format)f;
	}
	/* a quarter of the lines: the others may be continuations, or errors of the collector */
	if (l.format != LOG_BARE && votes->format[l.format] * 4 < votes->lines)
		l.format = LOG_BARE;
	for (int s = 0; s < _LOG_STYLE_MAX; s++) {
		if (s != LOG_STYLE_TEXT && votes->style[s] > (l.style == LOG_STYLE_TEXT ? 0 : votes->style[l.style]))
			l.style = (enum log_style)s;
	}
	if (votes->named3 * 2 > votes->format[LOG_STERN])
		l.names = 3;
	l.named = l.format == LOG_STERN || l.format == LOG_STERN_JSON || l.format == LOG_LOKI ||
	    (l.format == LOG_KUBECTL && votes->prefixed > 0);
	return l;
}
