#include "config.h"

#include "ingest/line.h"

#include <string.h>

void
line_begin(struct line *l, struct slice text, bool complete)
{
	*l = (struct line){ .all = text, .complete = complete };
}

/* Skip white space and NUL runs; say whether there were NULs. */
static bool
skip_padding(struct line *l)
{
	bool nul = false;

	for (; l->pos < l->all.n; l->pos++) {
		char c = l->all.p[l->pos];

		if (c == '\0')
			nul = true;
		else if (c != ' ' && c != '\t' && c != '\r')
			break;
	}
	return nul;
}

/* The piece from the present place to the next record start, or to the end of the line, cannot be read. */
static enum line_rc
reject_piece(struct line *l, bool torn)
{
	static const char start[] = "{\"ev\"";
	struct slice rest = { l->all.p + l->pos, l->all.n - l->pos };
	const char *next = rest.n > 1 ? memmem(rest.p + 1, rest.n - 1, start, sizeof(start) - 1) : NULL;

	l->text = (struct slice){ rest.p, next != NULL ? (size_t)(next - rest.p) : rest.n };
	if (memchr(l->text.p, '\0', l->text.n) != NULL)
		l->reason = "NUL bytes inside a record";
	else if (next != NULL)
		l->reason = "torn record, another one behind it";
	else if (torn && !l->complete)
		l->reason = "torn record at the end of the file: the ledger was cut";
	else if (torn)
		l->reason = "torn record";
	else
		l->reason = "not a JSON object";
	l->pos += l->text.n;
	l->pieces++;
	l->after_reject = true;
	return LINE_REJECTED;
}

enum line_rc
line_next(struct line *l, struct record_scanner *sc, struct record *ret)
{
	bool nul = skip_padding(l);
	struct slice rest = { l->all.p + l->pos, l->all.n - l->pos };
	enum record_rc rc;
	size_t end;

	l->reason = NULL;
	l->repair = nul ? "NUL bytes beside a record" : NULL;
	if (rest.n == 0) {
		if (l->records == 0)
			l->repair = NULL; /* a line of NULs alone holds nothing that could be repaired */
		return LINE_END;
	}
	if (rest.p[0] != '{')
		return reject_piece(l, false);
	rc = record_scan(sc, rest, ret, &end);
	if (rc == RECORD_NOMEM)
		return LINE_NOMEM;
	if (rc != RECORD_OK)
		return reject_piece(l, rc == RECORD_TORN);
	if (l->after_reject)
		l->repair = "record behind a torn start";
	else if (l->pieces > 0)
		l->repair = "records glued on one line";
	l->text = (struct slice){ rest.p, end };
	l->pos += end;
	l->pieces++;
	l->records++;
	l->after_reject = false;
	return LINE_RECORD;
}
