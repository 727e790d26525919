/* Copies of messages: what goes into cells and what does not, ties, halving, and that no copy is lost whatever the budget. */
#include "config.h"

#include <stdlib.h>

#include "ingest/ledger.h"
#include "tap.h"

#define BASE INT64_C(1790000000000000000)
#define S INT64_C(1000000000)
#define SMALL 2u   /* members of topic 0 */
#define LARGE 200u /* of topic 1 */

static uint32_t small_members[SMALL], large_members[LARGE];
static struct topic topics[2] = {
	{ .kind = KIND_P2P, .listed = true, .nmembers = SMALL, .members = small_members },
	{ .kind = KIND_GROUP, .listed = true, .nmembers = LARGE, .members = large_members },
};
static struct mem_budget budget;
static struct copies copies = { .budget = &budget };
static uint64_t lines;

static void
begin(uint32_t from, uint32_t to, bool keep_lines, size_t limit)
{
	budget.limit = limit;
	copies_begin(&copies, from, to, keep_lines);
	lines = 0;
}

static struct copy
copy_at(uint32_t topic, uint32_t member, int64_t seq, int64_t t)
{
	struct copy c = { .t = t, .seq = seq, .topic = topic, .member = member, .account = member != NONE ? 1000 + member : 7 };

	c.place = place_make(3, ++lines, 0);
	c.check = (uint32_t)lines * 11;
	return c;
}

static enum imp_rc
add(uint32_t mid, uint32_t topic, uint32_t member, int64_t seq, int64_t t)
{
	struct copy c = copy_at(topic, member, seq, t);

	return copies_add(&copies, topics, mid, &c, NULL);
}

/* The cell of a member as "seconds after BASE@line", "-" for none. */
static const char *
cell(uint32_t mid, uint32_t i)
{
	static char out[60];
	uint64_t place;
	uint32_t check;
	int64_t t = copies_cell(&copies, &copies.rows[mid], i, &place, &check);

	if (t == NO_TIME)
		return "-";
	snprintf(out, sizeof(out), "%" PRId64 "@%" PRId64 "%s", (t - BASE) / S, place_line(place),
	    check == (uint32_t)place_line(place) * 11 ? "" : " wrong check");
	return out;
}

static void
regular_copies(bool keep_lines)
{
	const struct delivery_row *row;

	begin(0, COPIES_WHOLE, keep_lines, SIZE_MAX);
	ok(add(0, 0, 1, 5, BASE + 9 * S) == IMP_OK && add(0, 0, 0, 5, BASE) == IMP_OK, "copies at both members%s",
	    keep_lines ? ", with lines" : "");
	row = &copies.rows[0];
	ok(row->topic == 0 && row->seq == 5 && row->width == SMALL && row->ncells == 2 && row->nodd == 0, "lie in two cells");
	is_str(cell(0, 0), keep_lines ? "0@2" : "0@0", "the earlier is before the first that was read");
	is_str(cell(0, 1), keep_lines ? "9@1" : "9@0", "and the first");
	copies_clear_cell(&copies, &copies.rows[0], 1);
	is_str(cell(0, 1), "-", "a cell is cleared");
	copies_clear_cell(&copies, &copies.rows[0], 1);
	is_int(row->ncells, 1, "once");
}

static void
rows_between(void)
{
	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(add(5, 0, 0, 1, BASE) == IMP_OK, "a copy of mid 5");
	ok(copies.nrows == 6 && copies.rows[4].topic == NONE, "mids before it have none");
	ok(add(4000, 0, 0, 1, BASE) == IMP_OK && copies.rows[4000].ncells == 1 && copies.rows[5].ncells == 1,
	    "and one of mid 4000");
}

/* Copies that are no cell's: one row of a small topic, then one odd copy of each kind. */
static void
odd_copies(void)
{
	static const struct {
		const char *name;
		uint32_t topic, member;
		int64_t seq, t;
	} rows[] = {
		{ "of another seq", 0, 1, 6, BASE },
		{ "on another topic", 1, 1, 5, BASE },
		{ "at no member", 0, NONE, 5, BASE },
		{ "275 s before", 0, 1, 5, BASE - 275 * S },
		{ "825 s after", 0, 1, 5, BASE + 825 * S },
		{ "at the earliest time there is", 0, 1, 5, INT64_MIN + 1 },
		{ "at the latest", 0, 1, 5, INT64_MAX },
		{ "at the same member, later", 0, 0, 5, BASE + 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct delivery_row *row;

		begin(0, COPIES_WHOLE, true, SIZE_MAX);
		if (add(0, 0, 0, 5, BASE) != IMP_OK || add(0, rows[i].topic, rows[i].member, rows[i].seq, rows[i].t) != IMP_OK)
			ok(false, "memory");
		row = &copies.rows[0];
		ok(row->ncells == 1 && row->nodd == 1 && row->odd[0].t == rows[i].t && row->odd[0].seq == rows[i].seq &&
			row->odd[0].topic == rows[i].topic && row->odd[0].member == rows[i].member &&
			place_line(row->odd[0].place) == 2,
		    "odd: %s", rows[i].name);
	}
	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(add(0, 0, 0, 5, BASE) == IMP_OK && add(0, 0, 1, 5, BASE - 274 * S) == IMP_OK && copies.rows[0].ncells == 2,
	    "274 s before is regular");
	is_str(cell(0, 1), "-274@2", "and read back");
	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(add(0, 0, 0, 5, BASE) == IMP_OK && add(0, 0, 1, 5, BASE + 824 * S) == IMP_OK && copies.rows[0].ncells == 2,
	    "824 s after too");
	is_str(cell(0, 1), "824@2", "and read back");
}

/* Two regular copies at one member: the earlier keeps the cell; equal times are told apart by line, or cannot be. */
static void
further_copies(void)
{
	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(add(0, 0, 0, 5, BASE + S) == IMP_OK && add(0, 0, 0, 5, BASE) == IMP_OK, "an earlier copy, later in the file");
	is_str(cell(0, 0), "0@2", "takes the cell");
	ok(copies.rows[0].nodd == 1 && copies.rows[0].odd[0].t == BASE + S && place_line(copies.rows[0].odd[0].place) == 1,
	    "the other one is odd, with its line");

	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(add(0, 0, 0, 5, BASE) == IMP_OK && add(0, 0, 0, 5, BASE) == IMP_OK, "two in the same nanosecond");
	is_str(cell(0, 0), "0@1", "the first line keeps the cell");
	is_int(place_line(copies.rows[0].odd[0].place), 2, "and the second is odd");

	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	struct copy late = copy_at(0, 0, 5, BASE), early = copy_at(0, 0, 5, BASE);
	late.place = place_make(9, 1, 0);
	ok(copies_add(&copies, topics, 0, &late, NULL) == IMP_OK && copies_add(&copies, topics, 0, &early, NULL) == IMP_OK &&
		place_file(copies.rows[0].odd[0].place) == 9,
	    "whatever the order of reading");

	begin(0, COPIES_WHOLE, false, SIZE_MAX);
	ok(add(0, 0, 0, 5, BASE) == IMP_OK && add(0, 0, 0, 5, BASE) == IMP_OK && copies.rows[0].ncells == 1 &&
		copies.rows[0].nodd == 1 && copies.rows[0].odd[0].t == BASE,
	    "without lines both are there all the same");
}

/* A row of a large topic is a list first, then cells. */
static void
many_members(void)
{
	const struct delivery_row *row;
	int64_t t[LARGE];
	bool all = true;

	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(add(0, 1, 17, 5, BASE) == IMP_OK, "one copy of 200");
	row = &copies.rows[0];
	ok(row->width == 0 && row->nodd == 1, "is in the list");
	for (uint32_t i = 0; i < LARGE; i++)
		all &= i == 17 || add(0, 1, i, i == 50 ? 6 : 5, BASE + i * S) == IMP_OK;
	ok(all && row->width == LARGE && row->ncells == LARGE - 1 && row->nodd == 1, "199 are in cells, one has another seq");
	is_str(cell(0, 17), "0@1", "the one from the list too");
	copies_cells(&copies, row, t);
	ok(t[0] == BASE && t[50] == NO_TIME && t[199] == BASE + 199 * S, "all cells at once");
}

static void
spill(void)
{
	struct delivery_row *row;

	small_members[0] = 1000;
	small_members[1] = 1001;
	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(add(0, 0, 1, 5, BASE + S) == IMP_OK && add(0, 0, 0, 6, BASE) == IMP_OK, "a copy in a cell, an odd one");
	row = &copies.rows[0];
	ok(copies_spill(&copies, &topics[0], row, NULL) == IMP_OK, "spill");
	ok(row->width == 0 && row->ncells == 0 && row->nodd == 2, "no cells are left");
	ok(row->odd[1].t == BASE + S && row->odd[1].seq == 5 && row->odd[1].topic == 0 && row->odd[1].member == 1 &&
		row->odd[1].account == 1001 && place_line(row->odd[1].place) == 1 && row->odd[1].check == 11,
	    "the copy is odd, with all that its cell knew");
}

static void
ranges(void)
{
	uint32_t first, n, sum = 0;

	begin(0, COPIES_WHOLE, true, SIZE_MAX);
	ok(copies_range(&copies, LARGE, &first) == LARGE && first == 0, "the whole covers all");
	for (uint32_t from = 0; from < COPIES_WHOLE; from += COPIES_WHOLE / 8) {
		copies_begin(&copies, from, from + COPIES_WHOLE / 8, true);
		n = copies_range(&copies, 13, &first);
		ok(first == sum, "a part of eight begins where the last ended: %u", first);
		sum += n;
	}
	is_int(sum, 13, "together they are all members");
	copies_begin(&copies, COPIES_WHOLE / 2, COPIES_WHOLE, true);
	ok(add(0, 0, 0, 5, BASE) == IMP_OK && copies.nrows == 0, "a member of another pass is left out");
	ok(add(0, 0, NONE, 5, BASE) == IMP_OK && copies.nrows == 0, "so is who is no member");
	ok(add(0, 0, 1, 5, BASE) == IMP_OK && copies.rows[0].ncells == 1, "the second half of two members is the second");
	is_str(cell(0, 0), "0@3", "in the first cell of the pass");
	copies_begin(&copies, 0, 1, true);
	ok(add(0, 0, NONE, 5, BASE) == IMP_OK && copies.rows[0].nodd == 1, "who is no member belongs to the first pass");
}

/* ------------------------------------------------------------------ under a budget */

#define MIDS 40u

/* The copies of a run with everything that is unusual, in an order that mixes rows; number `k`, false at the end. */
static bool
nth_copy(unsigned k, uint32_t *ret_mid, struct copy *ret)
{
	uint32_t member = k / MIDS % LARGE, round = k / MIDS / LARGE;

	*ret_mid = k % MIDS;
	*ret = (struct copy){
		.t = BASE + (int64_t)((k * 7919u) % 1000) * S / 2,
		.seq = *ret_mid,
		.topic = 1,
		.member = member,
		.account = member,
		.place = place_make(0, k + 1, 0),
		.check = k,
	};
	if (k % 11 == 0)
		ret->seq = 1000;
	if (k % 37 == 0)
		ret->member = NONE;
	return round == 0 || (round == 1 && member < 20);
}

/* Read all copies pass by pass and add up what every pass holds; returns a sum that no order changes. */
static uint64_t
read_in_passes(size_t limit, bool keep_lines, unsigned *ret_passes, unsigned *ret_copies)
{
	uint64_t sum = 0;
	uint32_t from = 0, to = COPIES_WHOLE, mid;
	struct copy c;

	*ret_passes = *ret_copies = 0;
	while (from < COPIES_WHOLE && *ret_passes < 1000) {
		begin(from, to, keep_lines, limit);
		for (unsigned k = 0; nth_copy(k, &mid, &c); k++) {
			struct imp_err err;

			if (copies_add(&copies, topics, mid, &c, &err) != IMP_OK)
				return err.code;
		}
		for (size_t m = 0; m < copies.nrows; m++) {
			const struct delivery_row *row = &copies.rows[m];
			uint32_t first, cells = 0;
			uint64_t place;
			uint32_t check;

			copies_range(&copies, LARGE, &first);
			for (uint32_t i = 0; i < row->width; i++) {
				int64_t t = copies_cell(&copies, row, i, &place, &check);

				cells += t != NO_TIME;
				if (t != NO_TIME)
					sum += (uint64_t)(t - BASE + 1) * (first + i + 3) * (m + 1) * (uint64_t)(row->seq + 7);
			}
			*ret_copies += cells + row->nodd;
			if (cells != row->ncells)
				return 1;
			for (uint32_t i = 0; i < row->nodd; i++)
				sum += (uint64_t)(row->odd[i].t - BASE + 1) * ((uint64_t)row->odd[i].account + 3) * (m + 1) *
				    (uint64_t)(row->odd[i].seq + 7);
		}
		from = copies.to;
		to = from + copies_next_parts(&copies);
		++*ret_passes;
	}
	copies_done(&copies);
	return sum;
}

static void
small_budgets(bool keep_lines)
{
	unsigned passes, n, want_n, most = 0, refused = 0, right = 0, tried = 0;
	uint64_t want = read_in_passes(SIZE_MAX, keep_lines, &passes, &want_n);

	ok(passes == 1 && want_n == MIDS * (LARGE + 20), "one pass with all the memory there is%s",
	    keep_lines ? ", with lines" : "");
	is_int((intmax_t)budget.used, 0, "and all of it is given back");
	budget.peak = 0;
	for (size_t limit = 300000; limit > 5000; limit -= limit / 60) {
		uint64_t got = read_in_passes(limit, keep_lines, &passes, &n);

		tried++;
		refused += got == IMP_E_LIMIT;
		right += got == want && n == want_n;
		most = got == want && passes > most ? passes : most;
		copies_done(&copies);
		if (budget.used != 0 || budget.peak > 300000)
			ok(false, "%zu bytes: %zu used at the end, %zu at most", limit, budget.used, budget.peak);
		budget.peak = 0;
	}
	is_int(right + refused, tried, "whatever the budget: the same copies, or a limit that is too small");
	ok(most >= 4 && refused > 0, "up to %u passes", most);
}

/* With 1/8 of its budget spent by others the pass narrows, and what a narrower pass holds is right. */
static void
narrowing(void)
{
	const struct delivery_row *row;
	uint32_t first, n;
	char last[40];

	begin(0, COPIES_WHOLE, true, 20000);
	for (uint32_t i = 0; i < LARGE; i++) {
		if (add(0, 1, i, 5, BASE + i * S) != IMP_OK)
			ok(false, "memory");
	}
	row = &copies.rows[0];
	is_int(row->ncells, LARGE, "a row of 200 cells");
	for (uint32_t mid = 1; mid < 6; mid++) {
		for (uint32_t i = 0; i < LARGE; i++) {
			if (add(mid, 1, i, 5, BASE + i * S) != IMP_OK)
				ok(false, "memory");
		}
	}
	n = copies_range(&copies, LARGE, &first);
	ok(copies.to < COPIES_WHOLE && first == 0 && n < LARGE, "narrows when others come: %u members", n);
	row = &copies.rows[0];
	ok(row->width == n && row->ncells == n, "and keeps the cells of these");
	snprintf(last, sizeof(last), "%u@%u", n - 1, n);
	is_str(cell(0, n - 1), last, "with their lines");
	is_int(copies.rows[5].ncells, n, "the last row has the same members");
}

int
main(void)
{
	for (uint32_t i = 0; i < LARGE; i++)
		large_members[i] = i;
	regular_copies(false);
	regular_copies(true);
	rows_between();
	odd_copies();
	further_copies();
	many_members();
	spill();
	ranges();
	narrowing();
	small_budgets(false);
	small_budgets(true);
	copies_done(&copies);
	return done();
}
