/* report/md.h - the parts of the Markdown report and the words they share. Private to the renderer.
 *
 * All functions append to md->out, where errors stick. */
#pragma once
#include "report/model.h"
#include "report/render.h"

struct md {
	struct buf *out;
	const struct report *r;
	const struct time_zone *zone; /* NULL: UTC alone */
};

/* What stands for a figure that was not evaluated. */
#define MD_NOT_EVALUATED "–"

void md_value(struct md *m, struct report_value v); /* a count with separators, a real, "–" */
void md_int(struct md *m, struct report_int v);	    /* the same */
void md_code(struct md *m, struct slice s);	    /* "–" for no text */
void md_time(struct md *m, int64_t ns);		    /* UTC, and the second zone in brackets */
void md_time_or_dash(struct md *m, struct report_int t);
void md_latency(struct md *m, struct report_value ns);	  /* milliseconds, three decimals */
void md_share(struct md *m, int64_t part, int64_t whole); /* in per cent; "–" for 0/0 */
/* Of something that should be 0: when it is, with the bound that the `looked_at` of `whole` allow. */
void md_bad_share(struct md *m, int64_t part, int64_t whole, int64_t looked_at);
/* What a rule file says: comparisons as ≤ and ≥, `names` as code; also as the `add` of rule_words.h. */
void md_rule_text(struct md *m, struct slice s);
void md_add_rule_text(struct buf *out, struct slice s);
void md_place(struct md *m, struct slice file, int64_t line);		    /* "logs/a.log:7"; line 0 is the whole file */
void md_plural(struct md *m, int64_t n, const char *one, const char *many); /* "1 message", "2,000 messages" */

/* A table over all scopes: one row for the total, each scenario and each agent. */
enum md_column_kind {
	MD_COUNT,     /* `figure` */
	MD_SHARE,     /* `figure` of `of` */
	MD_BAD_SHARE, /* the same for what should be 0 */
	MD_LATENCY,   /* `figure` in ms */
};

struct md_column {
	const char *head;
	enum md_column_kind kind;
	const char *figure, *of;
	const char *besides; /* of shares: counts as `figure` does */
	const char *unseen;  /* of shares: what of `of` nobody looked at; no zero is proven by it, and no share when it is all */
	bool rare;	     /* a count: where it is 0 in every scope, one line below the table says so in its place */
};

void md_scope_table(struct md *m, const struct md_column *columns, size_t n);
/* "total", "`s1` (p2p)", "agent `a`"; and the scopes by the same number. */
size_t md_scopes(const struct md *m);
const struct report_scope *md_scope(const struct md *m, size_t i);
void md_scope_label(struct md *m, size_t i);

void md_head(struct md *m);	 /* verdict, the decision, gates */
void md_causes(struct md *m);	 /* why, where it concentrates, what was ruled out, what was not looked at */
void md_failures(struct md *m);	 /* where to look for each gate that failed */
void md_figures(struct md *m);	 /* plan, classes, matrix, delivery, storage, unknown outcomes, latency */
void md_validity(struct md *m);	 /* validity rules that did not fire, the load generator */
void md_losses(struct md *m);	 /* one by one */
void md_findings(struct md *m);	 /* what is odd, though it explains no failure */
void md_coverage(struct md *m);	 /* what could not be evaluated, damage, evidence */
void md_repairs(struct md *m);	 /* what an earlier look-up of the database missed and a later one has */
void md_collected(struct md *m); /* who was asked for evidence, and what was not got */
void md_sources(struct md *m);	 /* what logs, metrics and other streams can testify to */
