/* ingest/kube_top.c - the table of `kubectl top pod`. */
#include "config.h"

#include <math.h>

#include "base/cleanup.h"
#include "ingest/kube.h"

#define COLUMNS_MAX 8u
#define LINE_BYTES_MAX ((size_t)64 << 10)

/* Places of columns, SIZE_MAX: not there. */
struct columns {
	size_t pod, container, cpu, memory;
	bool nodes; /* it is a table of nodes */
};

struct top_reading {
	struct kube *k;
	struct snapshot *s;
	struct imp_err *err;
	uint64_t line;
	struct slice word[COLUMNS_MAX];
	size_t nwords;
	struct columns at;
	bool heading, sum; /* there was a heading; what follows are totals */
};

static void
split(struct top_reading *rd, struct slice text)
{
	size_t i = 0;

	rd->nwords = 0;
	while (rd->nwords < COLUMNS_MAX) {
		size_t start;

		while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\t'))
			i++;
		start = i;
		while (i < text.n && text.p[i] != ' ' && text.p[i] != '\t')
			i++;
		if (i == start)
			return;
		rd->word[rd->nwords++] = (struct slice){ text.p + start, i - start };
	}
}

static bool
take_heading(struct top_reading *rd)
{
	struct columns at = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, false };
	size_t name = SIZE_MAX;

	for (size_t i = 0; i < rd->nwords; i++) {
		if (slice_eq(rd->word[i], SLICE("POD")))
			at.pod = i;
		else if (slice_eq(rd->word[i], SLICE("NAME")))
			name = i;
		else if (slice_eq(rd->word[i], SLICE("CPU(cores)")))
			at.cpu = i;
		else if (slice_eq(rd->word[i], SLICE("MEMORY(bytes)")))
			at.memory = i;
		else if (slice_eq(rd->word[i], SLICE("CPU(%)")) || slice_eq(rd->word[i], SLICE("CPU%")))
			at.nodes = true;
	}
	if (at.cpu == SIZE_MAX || at.memory == SIZE_MAX || name == SIZE_MAX)
		return false;
	if (at.pod == SIZE_MAX)
		at.pod = name;
	else
		at.container = name;
	rd->at = at;
	rd->heading = true;
	rd->sum = false;
	if (at.nodes)
		snapshot_note(rd->s, "figures of nodes are passed over");
	return true;
}

/* Without a heading: NAME CPU MEMORY, or POD NAME CPU MEMORY; a namespace before them cannot be told from a pod. */
static bool
guess_columns(struct top_reading *rd)
{
	if (rd->nwords < 3 || rd->nwords > 4)
		return false;
	rd->at.pod = 0;
	rd->at.container = rd->nwords == 4 ? 1 : SIZE_MAX;
	rd->at.cpu = rd->nwords - 2;
	rd->at.memory = rd->nwords - 1;
	return true;
}

/* `0m` is what a pod shows that was not measured yet. */
static bool
measured(struct slice word, double *ret, int64_t *ret_whole)
{
	return kube_quantity(word, ret, ret_whole) && *ret > 0;
}

static enum imp_rc
take_row(struct top_reading *rd)
{
	struct kube_usage u = { .t = NO_TIME, .cpu = (double)NAN, .memory = NO_TIME, .line = rd->line };
	struct slice cpu = rd->word[rd->at.cpu], memory = rd->word[rd->at.memory];
	int64_t whole;
	double d;
	bool unknown = slice_eq(cpu, SLICE("<unknown>")) || slice_eq(memory, SLICE("<unknown>"));

	if (!unknown && (!kube_quantity(cpu, &d, &whole) || !kube_quantity(memory, &d, &whole)))
		return snapshot_reject(rd->s, rd->line, "not a line of kubectl top", rd->err);
	if (measured(cpu, &d, &whole))
		u.cpu = d;
	if (measured(memory, &d, &whole))
		u.memory = whole;
	if (isnan(u.cpu) && u.memory == NO_TIME) {
		snapshot_note(rd->s, "pods that were not measured");
		return IMP_OK;
	}
	u.pod = arena_slice(&rd->k->arena, rd->word[rd->at.pod], rd->err);
	if (rd->at.container != SIZE_MAX)
		u.container = arena_slice(&rd->k->arena, rd->word[rd->at.container], rd->err);
	if (u.pod.p == NULL || (rd->at.container != SIZE_MAX && u.container.p == NULL))
		return rd->err->code;
	rd->s->samples++;
	return VEC_PUSH(rd->k->arena.budget, &rd->k->usages, u, rd->err);
}

/* What kubectl says of its own trouble stands before the table. */
static bool
is_complaint(const struct top_reading *rd, struct slice text)
{
	return (text.n > 5 && (text.p[0] == 'W' || text.p[0] == 'E') && text.p[1] >= '0' && text.p[1] <= '1' &&
		   memchr(text.p, ']', text.n) != NULL) ||
	    (rd->nwords > 0 && (slice_eq(rd->word[0], SLICE("error:")) || slice_eq(rd->word[0], SLICE("Error"))));
}

static enum imp_rc
take_line(struct top_reading *rd, struct slice text)
{
	split(rd, text);
	if (rd->nwords == 0 || take_heading(rd))
		return IMP_OK;
	if (is_complaint(rd, text)) {
		snapshot_note(rd->s, "%.*s", (int)(text.n < 160 ? text.n : 160), text.p);
		return IMP_OK;
	}
	for (size_t i = 0; i < rd->nwords; i++)
		rd->sum |= slice_has_prefix(rd->word[i], SLICE("____"));
	if (rd->sum || rd->at.nodes)
		return IMP_OK;
	if ((!rd->heading && !guess_columns(rd)) || rd->at.pod >= rd->nwords || rd->at.cpu >= rd->nwords ||
	    rd->at.memory >= rd->nwords || (rd->at.container != SIZE_MAX && rd->at.container >= rd->nwords))
		return snapshot_reject(rd->s, rd->line, "not a line of kubectl top", rd->err);
	return take_row(rd);
}

enum imp_rc
kube_read_top(struct kube *k, struct snapshot *s, struct imp_err *err)
{
	const struct source_limits limits = { .line_max = LINE_BYTES_MAX, .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	struct imp_err why;
	struct top_reading rd = { .k = k, .s = s, .err = &why };
	struct source_line line;
	bool more = true;
	enum imp_rc rc = source_open(s->dirfd, s->path, &limits, &src, &why);

	if (rc == IMP_OK)
		s->compression = source_kind(src);
	while (rc == IMP_OK && (rc = source_next(src, &line, &more, &why)) == IMP_OK && more) {
		rd.line = s->lines = line.number;
		rc = line.too_long ? snapshot_reject(s, rd.line, "longer than the limit", &why) : take_line(&rd, line.text);
	}
	if (rc == IMP_OK)
		s->cut = source_cut(src);
	if (rc == IMP_E_LIMIT)
		rc = snapshot_reject(s, rd.line + 1, "too large to be read", &why);
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}
