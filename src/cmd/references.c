#include "config.h"

#include "cmd/references.h"

#include <stdlib.h>

/* Adds until the first failure. */
struct collector {
	struct references *refs;
	enum imp_rc failed;
	struct imp_err *err;
};

static void
add(struct collector *c, struct slice file, int64_t line, struct slice text)
{
	if (c->failed == IMP_OK && file.n > 0)
		c->failed = VEC_PUSH(NULL, &c->refs->v, ((struct reference){ file, line, text }), c->err);
}

static void
add_place(struct collector *c, struct slice file, int64_t line)
{
	add(c, file, line, (struct slice){ NULL, 0 });
}

static void
add_rules(struct collector *c, const struct rule_verdict *rules, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t e = 0; e < rules[i].nevidence; e++)
			add_place(c, rules[i].evidence[e].file, rules[i].evidence[e].line);
}

static void
add_causes(struct collector *c, const struct cause_verdict *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < v[i].nitems; k++)
			for (size_t p = 0; p < v[i].items[k].nplaces; p++)
				add(c, v[i].items[k].places[p].file, v[i].items[k].places[p].line, v[i].items[k].places[p].text);
}

static void
add_repair(struct collector *c, const struct report_repair *x)
{
	add_place(c, x->path, x->line);
	add_place(c, x->missed_path, x->missed_line);
	add_place(c, x->letter_path, x->letter_line);
	add_place(c, x->changed_path, x->changed_line);
}

static void
add_lists(struct collector *c, const struct report *r)
{
	for (size_t i = 0; i < r->findings.n; i++)
		add_place(c, r->findings.v[i].path, r->findings.v[i].line);
	for (size_t i = 0; i < r->losses.n; i++)
		add_place(c, r->losses.v[i].path, r->losses.v[i].line);
	for (size_t i = 0; i < r->missing.n; i++)
		add_place(c, r->missing.v[i].path, r->missing.v[i].line);
	for (size_t i = 0; i < r->log_lines.n; i++)
		add_place(c, r->log_lines.v[i].path, r->log_lines.v[i].line);
	for (size_t i = 0; i < r->repairs.messages.n; i++)
		add_repair(c, &r->repairs.messages.v[i]);
	for (size_t i = 0; i < r->servers.n; i++)
		add_place(c, r->servers.v[i].path, r->servers.v[i].line);
	for (size_t i = 0; i < r->asked.n; i++)
		add_place(c, r->asked.v[i].path, r->asked.v[i].line);
	for (size_t i = 0; i < r->damage.n; i++)
		add_place(c, r->damage.v[i].path, r->damage.v[i].line);
	for (size_t i = 0; i < r->files.n; i++)
		if (r->files.v[i].sha256.n > 0)
			add_place(c, r->files.v[i].path, 0);
}

static int
compare(const void *pa, const void *pb)
{
	const struct reference *a = pa, *b = pb;
	int c = slice_cmp(a->file, b->file);

	if (c != 0)
		return c;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return slice_cmp(a->text, b->text);
}

static void
drop_repeated(struct references *refs)
{
	size_t n = 0;

	for (size_t i = 0; i < refs->v.n; i++)
		if (n == 0 || compare(&refs->v.v[n - 1], &refs->v.v[i]) != 0)
			refs->v.v[n++] = refs->v.v[i];
	refs->v.n = n;
}

enum imp_rc
references_collect(const struct report *r, struct references *ret, struct imp_err *err)
{
	struct collector c = { .refs = ret, .err = err };

	*ret = (struct references){ 0 };
	add_rules(&c, r->verdict->rules, r->verdict->nrules);
	add_rules(&c, r->verdict->trust_rules, r->verdict->ntrust_rules);
	if (r->causes != NULL) {
		add_causes(&c, r->causes->v, r->causes->n);
		add_causes(&c, r->causes->findings, r->causes->nfindings);
	}
	add_lists(&c, r);
	if (c.failed == IMP_OK && ret->v.n > 0) {
		qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), compare);
		drop_repeated(ret);
	}
	return c.failed;
}

void
references_done(struct references *refs)
{
	VEC_FREE(NULL, &refs->v);
}
