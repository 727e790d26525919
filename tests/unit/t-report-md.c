/* The Markdown report of the sample run. */
#include "config.h"

#include "sample-report.h"
#include "tap.h"

#include "base/text.h"
#include "base/time.h"
#include "report/render.h"

/* What must stand there, word for word. */
static const char *const wanted[] = {
	"1 message had no row at an earlier look-up and has one at a later one: 1 replayed from the dead letters. The figures above are those of "
	"the last look-up.\n",
	"- Meanwhile a column became another: messages.id: int to big\\|int (agents/a/a.jsonl:8).\n",
	"| `m2` | `p2p\\x7c\\x3cb\\x3e\\x601\\x60` | 2026-09-21T14:13:21.004Z | check 1, 2026-09-21T14:14:10.000Z (agents/a/a.jsonl:4) | "
	"check 2, 2026-09-21T14:15:00.000Z (agents/a/a.jsonl:5) | 48.996 s to 1 min 38 s | replayed from the dead letters (agents/b/b.jsonl:2) |\n",
	"| mysql | `ma\\x7cin` | `10.0.0.1:3306` | `10.11` | `one` | `primary` | 2026-09-21T14:14:00.000Z | 2026-09-21T14:14:00.000Z | 4 | 3 | "
	"agents/b/b.jsonl:1 |\n",
	"**another server** than the one that was asked before; a replica: its rows may be behind (agents/b/b.jsonl:2) |\n",
	"so that a part of `db/dead.jsonl` may be missing (agents/b/b.jsonl:3)\n",
	": **timeout**, 2 times (agents/b/b.jsonl:3)\n",
	"# demo-1: FAIL\n",
	"**Do not release on this run.** 5 messages planned, 3 accepted (75 % of 4 attempted): 1 lost from storage. 2 of 3 deliveries "
	"never arrived (1 receiver), with the receiver connected throughout. 1 message was never tried. 1 message got no usable answer: stored nowhere.\n",
	"Decided by `loss.durable` (profile `release`).\n",
	"| `loss.durable` | **fail** | 1 of 3 | = 0 |\n| `mysql` | not evaluated | the database's counters were not read | = 0 |\n"
	"| `unknown` | waived | 1 | = 0 |\n| `ack.latency` | pass | p95 5 ms, p99 5 ms | p95 ≤ 500 ms, p99 ≤ 2 s |\n"
	"| `duplicate`, `order` | pass | 0 | = 0 |\n"
	"| `kafka.drain` | not applicable | run.json does not list kafka | – |\n",
	"- Changed by the profile: `ack.latency` requires ≤ 2 s instead of ≤ 1 s.\n",
	"- Waived until 2026-12-31: `unknown`, which is otherwise **fail**. known \\| being mended\n",
	"- `loss.durable` requires: Accepted messages are stored. See agents/a/a.jsonl:7 and 3 more. Look at the `dead` letters.\n",
	"| `agent.cut_off` | pass | 0 | > 0 |\n",
	"| | planned | attempted | acked | rejected | unknown | unsent | never tried | accepted |\n",
	"| agent `b` | – | – | – | – | – | – | – | – |\n",
	"\n0 everywhere: warm-up.\n",
	"| answered `202` | 3 | 3 | 3 | – | – |\n| no answer: `timeout` | 1 | 1 | 1 | – | – |\n",
	"published from 2026-09-21T14:13:20.000Z to 2026-09-21T14:13:23.000Z, drain window of 30 s to 2026-09-21T14:13:53.000Z.\n",
	"| `durable_lost` | 1 | 1 | 1 | – | – | 2026-09-21T14:13:22.000Z | 2026-09-21T14:13:22.000Z |\n",
	"| acked | none | exact | 1 | 1 | 1 | 0 | 0 |\n",
	"| total | 3 | 1 | 2 | 33 % | 67 % |\n",
	"\n0 everywhere: late, not witnessed, duplicate.\n",
	"1 receiver misses something. They are:\n",
	"| `b1` | 2 | 2 | 1 | 2026-09-21T14:13:21.000Z | 2026-09-21T14:13:22.000Z |\n",
	"1 message ended without a usable answer",
	"| ack | total | 3 | 4.000 | 5.000 | 5.000 | 5.000 | 5.000 | 4.038 | yes |\n",
	"| delivery | total | 1 | 10.000 | – | – | – | – | – | **no** |\n",
	"- *delivery* is not valid (total): no clock measurement of agent a.\n",
	"| `p2p\\x7c\\x3cb\\x3e\\x601\\x60` | `a\\x7c0001` | `b1` | `m3\\x1b[2J` | 3 | 2026-09-21T14:13:22.000Z | ",
	" | 2026-09-21T14:13:53.000Z | yes | agents/a/a.jsonl:6 |\n",
	"| `durable_lost` | `absent` | `nowhere` | `after_last` | agents/a/a.jsonl:6 |\n",
	"- `mysql`: the database's counters were not read.\n",
	"two agents left the same bytes \\| twice (first at agents/a/a.jsonl:1)\n",
	"- 3 files, 16 lines: 16 records = 15 events + 1 rejected.\n",
	"- Agent `a`: 12 records; its ledger is complete.\n",
	"- Agent `b`: 3 records, **though its end counts 5 before it**; **cut off**, its ledger has no end; clock off by at most 2.500 ms.\n",
	"- Agent `c`: **absent**, planned but without a ledger.\n",
	"- agents/a/a.jsonl:9 rejected: a torn line: {\"ev\":\"data\",\"to\":\"&lt;i&gt;\n",
	"| `agents/b/b.jsonl` | ledger | 3 | 345 | `bb00000000000000000000000000000000000000000000000000000000000002` | manifest: "
	"**mismatch** |\n",
	"| `notes.txt` | **not read** |",
	"Rules `d1d2`, evidence store version ",
};

static void
render(const struct report *r, const struct time_zone *zone, struct buf *out)
{
	const struct render_options opt = { zone };
	struct imp_err err = { 0 };

	buf_clear(out);
	sample_check(renderer_md.render(r, &opt, out, &err), &err);
}

static void
test_content(const struct buf *text)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		ok(strstr(text->p, wanted[i]) != NULL, "has: %.*s", (int)strcspn(wanted[i], "\n"), wanted[i]);
	ok(strstr(text->p, "2026-12-31") != NULL && strstr(text->p, "kafka.drain` | pass") == NULL,
	    "what does not apply did not pass");
}

/* Every table row has as many cells as its head, whatever is in them. */
static void
test_tables(const struct buf *text)
{
	bool even = true;
	int columns = 0;

	for (const char *line = text->p; *line != '\0'; line += strcspn(line, "\n") + 1) {
		int cells = 0;

		for (const char *c = line; *c != '\n' && *c != '\0'; c++)
			cells += *c == '|' && (c == line || c[-1] != '\\');
		if (line[0] != '|') {
			columns = 0;
		} else {
			even &= columns == 0 || columns == cells;
			columns = cells;
		}
	}
	ok(even, "tables are even");
}

static void
test_harmless(const struct buf *text)
{
	struct slice s = buf_slice(text);
	size_t pos = 0;
	bool safe = true;

	while (pos < s.n) {
		int32_t c = text_next_char(s, &pos);

		safe &= c == '\n' || (c >= 0 && !text_is_unsafe(c));
	}
	ok(safe, "no control character, no invisible one");
	ok(strchr(text->p, '<') == NULL, "no HTML");
}

static void
test_limit(struct store *s, struct buf *text)
{
	CLEANUP(report_done) struct report r = { 0 };

	sample_report(s, 1, &r);
	render(&r, NULL, text);
	ok(strstr(text->p, "2 deliveries, the first 1 of them here") != NULL, "a list that is cut says so");
	ok(strstr(text->p, "`m2` | 2 |") != NULL &&
		strstr(text->p,
		    "| `m3\\x1b[2J` | 3 | 2026-09-21T14:13:22.000Z | "
		    "2026-09-21T14:13:22.005Z | 2026-09-21T14:13:53.000Z |") == NULL,
	    "and is cut");
}

static void
test_zone(const struct report *r, struct buf *text)
{
	const struct time_zone zone = { .fixed = true, .offset_s = 8 * 3600 };

	render(r, &zone, text);
	ok(strstr(text->p, "2026-09-21T14:13:21.004Z (2026-09-21T22:13:21.004+08:00)") != NULL, "a second zone");
}

int
main(void)
{
	struct store *s = sample_store();
	CLEANUP(report_done) struct report r = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(RENDER_BYTES_MAX), again = BUF_INIT(RENDER_BYTES_MAX);

	sample_report(s, 100, &r);
	render(&r, NULL, &text);
	render(&r, NULL, &again);
	ok(slice_eq(buf_slice(&text), buf_slice(&again)), "the same bytes again");
	test_content(&text);
	test_tables(&text);
	test_harmless(&text);
	test_limit(s, &text);
	test_zone(&r, &text);
	store_close(s);
	return done();
}
