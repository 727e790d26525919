#include "config.h"

#include "ingest/copies.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/ledger.h"

/* A cell holds arrival - base + CELL_BIAS in 40 bits, never 0; 0 is "no copy". */
#define CELL_BIAS ((int64_t)1 << 38)
#define CELL_MAX (((int64_t)1 << 40) - 1)
#define CELL_BYTES 5u
#define CELL_LINE_BYTES 12u /* place and check */

/* Rows of few members get cells at once, others when their list has grown to this part of what the cells take. */
#define CELLS_AT_ONCE 16u
#define CELLS_PART 4u

/* No pass is narrower: rather than in hundreds of passes, a run is not read at all. */
#define PARTS_MIN (COPIES_WHOLE / 64)

/* Cells and lists leave this part of the budget to mids, accounts and the rest. */
#define COPIES_SHARE(limit) ((limit) / 8 * 7)

static size_t
cells_size(const struct copies *c, uint32_t width)
{
	return (size_t)width * (CELL_BYTES + (c->keep_lines ? CELL_LINE_BYTES : 0));
}

/* The columns of a row, in this order: place (8 bytes), low word, check (4), high byte (1). */
struct columns {
	uint64_t *place;
	uint32_t *low, *check;
	unsigned char *high;
};

static struct columns
row_columns(const struct copies *c, unsigned char *cells, uint32_t width)
{
	struct columns col = { NULL, (uint32_t *)(void *)cells, NULL, NULL };

	if (c->keep_lines) {
		col.place = (uint64_t *)(void *)cells;
		col.low = (uint32_t *)(void *)(col.place + width);
		col.check = col.low + width;
		col.high = (unsigned char *)(col.check + width);
	} else {
		col.high = (unsigned char *)(col.low + width);
	}
	return col;
}

void
copies_begin(struct copies *c, uint32_t from, uint32_t to, bool keep_lines)
{
	copies_done(c);
	c->from = from;
	c->to = to;
	c->keep_lines = keep_lines;
}

static void
row_drop_cells(struct copies *c, struct delivery_row *row)
{
	size_t size = cells_size(c, row->width);

	free(row->cells);
	mem_release(c->budget, size);
	c->held -= size;
	row->cells = NULL;
	row->width = row->ncells = 0;
}

void
copies_done(struct copies *c)
{
	for (size_t i = 0; i < c->nrows; i++) {
		row_drop_cells(c, &c->rows[i]);
		free(c->rows[i].odd);
		mem_release(c->budget, c->rows[i].odd_cap * sizeof(struct copy));
	}
	free(c->rows);
	mem_release(c->budget, c->cap * sizeof(*c->rows));
	*c = (struct copies){ .budget = c->budget };
}

/* Parts that fit when `parts` of them take `bytes`; what others hold, and a little, is left free. */
static uint32_t
parts_that_fit(const struct copies *c, uint32_t parts, uint64_t bytes)
{
	size_t room = COPIES_SHARE(c->budget->limit), others = c->budget->used - c->held;
	double fit;

	room = room > others ? (room - others) / 16 * 15 : 0;
	fit = (double)parts * (double)room / (double)bytes;
	return fit < PARTS_MIN ? PARTS_MIN : fit < COPIES_WHOLE ? (uint32_t)fit : COPIES_WHOLE;
}

uint32_t
copies_first_parts(const struct copies *c, uint64_t deliveries, bool keep_lines)
{
	uint64_t bytes = deliveries * (CELL_BYTES + (keep_lines ? CELL_LINE_BYTES : 0));

	return c->budget == NULL || bytes == 0 ? COPIES_WHOLE : parts_that_fit(c, COPIES_WHOLE, bytes);
}

uint32_t
copies_next_parts(const struct copies *c)
{
	uint32_t left = COPIES_WHOLE - c->to, parts;

	if (c->budget == NULL || c->held == 0)
		return left;
	parts = parts_that_fit(c, c->to - c->from, c->held);
	return parts < left ? parts : left;
}

uint32_t
copies_range(const struct copies *c, uint32_t members, uint32_t *ret_first)
{
	uint32_t first = (uint32_t)((uint64_t)members * c->from / COPIES_WHOLE);
	uint32_t end = (uint32_t)((uint64_t)members * c->to / COPIES_WHOLE);

	*ret_first = first;
	return end - first;
}

static bool
pass_covers(const struct copies *c, const struct topic *topics, const struct copy *copy)
{
	uint32_t first, n;

	if (copy->member == NONE)
		return c->from == 0;
	n = copies_range(c, topics[copy->topic].nmembers, &first);
	return copy->member >= first && copy->member - first < n;
}

static bool
is_regular(const struct delivery_row *row, const struct copy *copy)
{
	int64_t code;

	if (copy->member == NONE || copy->topic != row->topic || copy->seq != row->seq ||
	    __builtin_sub_overflow(copy->t, row->base, &code) || __builtin_add_overflow(code, CELL_BIAS, &code))
		return false;
	return code >= 1 && code <= CELL_MAX;
}

static int64_t
cell_time(const struct delivery_row *row, const struct columns *col, uint32_t i)
{
	int64_t code = (int64_t)col->high[i] << 32 | col->low[i];

	return code == 0 ? NO_TIME : row->base + (code - CELL_BIAS);
}

static void
cell_write(const struct delivery_row *row, const struct columns *col, uint32_t i, const struct copy *copy)
{
	int64_t code = copy->t - row->base + CELL_BIAS;

	col->low[i] = (uint32_t)code;
	col->high[i] = (unsigned char)(code >> 32);
	if (col->place != NULL) {
		col->place[i] = copy->place;
		col->check[i] = copy->check;
	}
}

/* Give back what a list no longer needs, if that is half of it. */
static void
odd_shrink(struct copies *c, struct delivery_row *row)
{
	size_t less = (row->odd_cap - row->nodd) * sizeof(struct copy);
	struct copy *smaller;

	if (row->odd_cap == 0 || row->nodd > row->odd_cap / 2)
		return;
	smaller = row->nodd > 0 ? realloc(row->odd, row->nodd * sizeof(struct copy)) : NULL;
	if (row->nodd > 0 && smaller == NULL)
		return;
	if (row->nodd == 0)
		free(row->odd);
	row->odd = smaller;
	row->odd_cap = row->nodd;
	mem_release(c->budget, less);
	c->held -= less;
}

/* Narrow the pass to its first half: give back the cells and the odd copies of the other. Half, so that what is given back of one
 * row is just what a row takes from now on. */
static void
copies_narrow(struct copies *c, const struct topic *topics)
{
	c->to = c->from + (c->to - c->from) / 2;
	for (size_t m = 0; m < c->nrows; m++) {
		struct delivery_row *row = &c->rows[m];
		uint32_t first, width, kept = 0;

		for (uint32_t i = 0; i < row->nodd; i++) {
			if (pass_covers(c, topics, &row->odd[i]))
				row->odd[kept++] = row->odd[i];
		}
		row->nodd = kept;
		odd_shrink(c, row);
		if (row->width == 0)
			continue;
		width = copies_range(c, topics[row->topic].nmembers, &first);
		if (width == row->width)
			continue;
		/* columns move towards the front, so they can be moved in place, in order */
		struct columns old = row_columns(c, row->cells, row->width), col = row_columns(c, row->cells, width);
		size_t was = cells_size(c, row->width), is = cells_size(c, width);
		unsigned char *smaller;

		if (c->keep_lines)
			memmove(col.place, old.place, width * sizeof(*col.place));
		memmove(col.low, old.low, width * sizeof(*col.low));
		if (c->keep_lines)
			memmove(col.check, old.check, width * sizeof(*col.check));
		memmove(col.high, old.high, width);
		row->ncells = 0;
		for (uint32_t i = 0; i < width; i++)
			row->ncells += cell_time(row, &col, i) != NO_TIME;
		smaller = is > 0 ? realloc(row->cells, is) : NULL;
		if (is == 0)
			free(row->cells);
		if (is == 0 || smaller != NULL)
			row->cells = smaller;
		row->width = width;
		mem_release(c->budget, was - is);
		c->held -= was - is;
	}
}

/* Charge bytes for deliveries, narrowing the pass as long as there is anything to narrow. */
static enum imp_rc
copies_charge(struct copies *c, const struct topic *topics, size_t bytes, struct imp_err *err)
{
	while (c->budget != NULL && c->budget->used + bytes > COPIES_SHARE(c->budget->limit)) {
		if ((c->to - c->from) / 2 < PARTS_MIN)
			break; /* the rest of the budget, to its limit */
		copies_narrow(c, topics);
	}
	return mem_charge(c->budget, bytes, err);
}

/* Room for one more odd copy; `topics` NULL: without narrowing the pass. */
static enum imp_rc
odd_reserve(struct copies *c, const struct topic *topics, struct delivery_row *row, struct imp_err *err)
{
	while (row->nodd == row->odd_cap) {
		uint32_t was = row->odd_cap, cap = was > 0 ? was * 2 : 4;
		size_t more = (cap - was) * sizeof(struct copy);
		struct copy *odd;
		enum imp_rc rc = topics != NULL ? copies_charge(c, topics, more, err) : mem_charge(c->budget, more, err);

		if (rc != IMP_OK)
			return rc;
		if (row->odd_cap != was) { /* narrowing took from this very list */
			mem_release(c->budget, more);
			continue;
		}
		odd = realloc(row->odd, cap * sizeof(struct copy));
		if (odd == NULL) {
			mem_release(c->budget, more);
			return imp_err_set(err, IMP_E_NOMEM, "out of memory: %u deliveries", cap);
		}
		row->odd = odd;
		row->odd_cap = cap;
		c->held += more;
	}
	return IMP_OK;
}

enum imp_rc
copies_add_odd(struct copies *c, struct delivery_row *row, const struct copy *copy, struct imp_err *err)
{
	enum imp_rc rc = odd_reserve(c, NULL, row, err);

	if (rc == IMP_OK)
		row->odd[row->nodd++] = *copy;
	return rc;
}

static enum imp_rc
odd_add(struct copies *c, const struct topic *topics, uint32_t mid, const struct copy *copy, struct imp_err *err)
{
	struct delivery_row *row = &c->rows[mid];
	enum imp_rc rc = odd_reserve(c, topics, row, err);

	if (rc == IMP_OK && pass_covers(c, topics, copy)) /* the range may be narrower now */
		row->odd[row->nodd++] = *copy;
	return rc;
}

/* A regular copy into its cell; the later of two goes to the odd ones. */
static enum imp_rc
cell_add(struct copies *c, const struct topic *topics, uint32_t mid, const struct copy *copy, struct imp_err *err)
{
	struct delivery_row *row = &c->rows[mid];
	struct columns col = row_columns(c, row->cells, row->width);
	uint32_t first, i;
	struct copy other = *copy;
	int64_t t;

	copies_range(c, topics[row->topic].nmembers, &first);
	i = copy->member - first;
	t = cell_time(row, &col, i);
	if (t == NO_TIME) {
		cell_write(row, &col, i, copy);
		row->ncells++;
		return IMP_OK;
	}
	if (copy->t < t || (copy->t == t && c->keep_lines && copy->place < col.place[i])) {
		other.t = t;
		other.place = c->keep_lines ? col.place[i] : 0;
		other.check = c->keep_lines ? col.check[i] : 0;
		cell_write(row, &col, i, copy);
	}
	return odd_add(c, topics, mid, &other, err);
}

/* Give a row its cells and move into them what belongs there. */
static enum imp_rc
row_make_cells(struct copies *c, const struct topic *topics, uint32_t mid, struct imp_err *err)
{
	struct delivery_row *row = &c->rows[mid];
	uint32_t first, width = copies_range(c, topics[row->topic].nmembers, &first), n, cap;
	struct copy *list;
	enum imp_rc rc = copies_charge(c, topics, cells_size(c, width), err);

	if (rc != IMP_OK)
		return rc;
	if (copies_range(c, topics[row->topic].nmembers, &first) != width) {
		mem_release(c->budget, cells_size(c, width)); /* narrowed meanwhile: as it was, the next copy tries again */
		return IMP_OK;
	}
	row->cells = calloc(1, cells_size(c, width));
	if (row->cells == NULL) {
		mem_release(c->budget, cells_size(c, width));
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: deliveries to %u members", width);
	}
	row->width = width;
	c->held += cells_size(c, width);
	/* nearly all of the list goes into the cells: what is left begins a new one */
	list = row->odd;
	n = row->nodd;
	cap = row->odd_cap;
	row->odd = NULL;
	row->nodd = row->odd_cap = 0;
	for (uint32_t i = 0; i < n && rc == IMP_OK; i++) {
		if (!pass_covers(c, topics, &list[i])) /* an odd one before it has narrowed the pass */
			continue;
		rc = is_regular(row, &list[i]) ? cell_add(c, topics, mid, &list[i], err) : odd_add(c, topics, mid, &list[i], err);
	}
	free(list);
	mem_release(c->budget, cap * sizeof(*list));
	c->held -= cap * sizeof(*list);
	return rc;
}

static enum imp_rc
rows_reserve(struct copies *c, uint32_t mid, struct imp_err *err)
{
	size_t was = c->cap;
	enum imp_rc rc = mem_grow(c->budget, (void **)&c->rows, &c->cap, (size_t)mid + 1, sizeof(*c->rows), err);

	if (rc == IMP_OK)
		memset(c->rows + was, 0, (c->cap - was) * sizeof(*c->rows));
	return rc;
}

enum imp_rc
copies_add(struct copies *c, const struct topic *topics, uint32_t mid, const struct copy *copy, struct imp_err *err)
{
	struct delivery_row *row;
	uint32_t first, width;
	enum imp_rc rc;

	if (!pass_covers(c, topics, copy))
		return IMP_OK;
	if (mid >= c->cap && (rc = rows_reserve(c, mid, err)) != IMP_OK)
		return rc;
	for (; c->nrows <= mid; c->nrows++)
		c->rows[c->nrows].topic = NONE;
	row = &c->rows[mid];
	if (row->topic == NONE) {
		row->topic = copy->topic;
		row->base = copy->t;
		row->seq = copy->seq;
	}
	if (row->width == 0 && is_regular(row, copy)) {
		width = copies_range(c, topics[row->topic].nmembers, &first);
		if (width <= CELLS_AT_ONCE || (row->nodd + 1) * sizeof(*copy) > cells_size(c, width) / CELLS_PART) {
			rc = row_make_cells(c, topics, mid, err);
			if (rc != IMP_OK)
				return rc;
			if (!pass_covers(c, topics, copy))
				return IMP_OK;
		}
	}
	if (row->width > 0 && is_regular(row, copy))
		return cell_add(c, topics, mid, copy, err);
	return odd_add(c, topics, mid, copy, err);
}

int64_t
copies_cell(const struct copies *c, const struct delivery_row *row, uint32_t i, uint64_t *ret_place, uint32_t *ret_check)
{
	struct columns col = row_columns(c, row->cells, row->width);

	*ret_place = col.place != NULL ? col.place[i] : 0;
	*ret_check = col.place != NULL ? col.check[i] : 0;
	return cell_time(row, &col, i);
}

void
copies_cells(const struct copies *c, const struct delivery_row *row, int64_t *t)
{
	struct columns col = row_columns(c, row->cells, row->width);

	for (uint32_t i = 0; i < row->width; i++)
		t[i] = cell_time(row, &col, i);
}

void
copies_clear_cell(const struct copies *c, struct delivery_row *row, uint32_t i)
{
	struct columns col = row_columns(c, row->cells, row->width);

	row->ncells -= cell_time(row, &col, i) != NO_TIME;
	col.low[i] = 0;
	col.high[i] = 0;
}

enum imp_rc
copies_spill(struct copies *c, const struct topic *t, struct delivery_row *row, struct imp_err *err)
{
	struct copy copy = { .seq = row->seq, .topic = row->topic };
	uint32_t first;
	enum imp_rc rc = IMP_OK;

	copies_range(c, t->nmembers, &first);
	for (uint32_t i = 0; i < row->width && rc == IMP_OK; i++) {
		copy.t = copies_cell(c, row, i, &copy.place, &copy.check);
		copy.member = first + i;
		copy.account = t->members[first + i];
		if (copy.t != NO_TIME)
			rc = copies_add_odd(c, row, &copy, err);
	}
	if (rc == IMP_OK)
		row_drop_cells(c, row);
	return rc;
}
