#include "config.h"

#include "cmd/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"

#define FLUSH_BYTES ((size_t)1 << 16)

static const char *const format_names[] = { [TABLE_ALIGNED] = "table", [TABLE_CSV] = "csv", [TABLE_JSON] = "json" };

enum imp_rc
table_format_find(const char *name, enum table_format *ret, struct imp_err *err)
{
	for (size_t i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++) {
		if (strcmp(format_names[i], name) == 0) {
			*ret = (enum table_format)i;
			return IMP_OK;
		}
	}
	return imp_err_set(err, IMP_E_USAGE, "no format '%.32s': there are table, csv, json", name);
}

/* Print what has gathered once it is worth it; a buffer that is about to end is printed in any case. */
static enum imp_rc
flush(struct buf *out, bool end, struct imp_err *err)
{
	enum imp_rc rc;

	if (!end && out->n < FLUSH_BYTES)
		return buf_status(out, err);
	rc = cmd_print(out, err);
	if (rc == IMP_OK)
		buf_clear(out);
	return rc;
}

/* The text of a value before it is escaped for its format. */
static void
add_plain(struct buf *out, sqlite3_stmt *st, int i)
{
	struct slice s;

	switch (sqlite3_column_type(st, i)) {
	case SQLITE_NULL:
		break;
	case SQLITE_FLOAT:
		text_add_double(out, sqlite3_column_double(st, i));
		break;
	case SQLITE_INTEGER:
		buf_addf(out, "%" PRId64, (int64_t)sqlite3_column_int64(st, i));
		break;
	case SQLITE_BLOB:
		s = store_column_slice(st, i);
		buf_add_str(out, "x'");
		for (size_t k = 0; k < s.n; k++)
			buf_addf(out, "%02x", (unsigned char)s.p[k]);
		buf_add_char(out, '\'');
		break;
	default:
		buf_add_slice(out, store_column_slice(st, i));
		break;
	}
}

static enum imp_rc
print_csv(struct store *s, sqlite3_stmt *st, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CMD_OUTPUT_MAX), value = BUF_INIT(CMD_OUTPUT_MAX);
	enum imp_rc rc;
	bool row;

	for (int i = 0; i < sqlite3_column_count(st); i++) {
		buf_add_str(&out, i > 0 ? "," : "");
		text_add_csv(&out, slice_of(sqlite3_column_name(st, i)));
	}
	buf_add_str(&out, "\n");
	while ((rc = store_step_row(s, st, &row, err)) == IMP_OK && row) {
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			buf_clear(&value);
			add_plain(&value, st, i);
			buf_add_str(&out, i > 0 ? "," : "");
			buf_part_ok(&out, &value);
			text_add_csv(&out, buf_slice(&value));
		}
		buf_add_str(&out, "\n");
		rc = flush(&out, false, err);
		if (rc != IMP_OK)
			return rc;
	}
	return rc == IMP_OK ? flush(&out, true, err) : rc;
}

static void
put_json_value(struct jsonw *w, sqlite3_stmt *st, int i)
{
	CLEANUP(buf_done) struct buf hex = BUF_INIT(CMD_OUTPUT_MAX);

	switch (sqlite3_column_type(st, i)) {
	case SQLITE_NULL:
		jsonw_null(w);
		break;
	case SQLITE_FLOAT:
		jsonw_double(w, sqlite3_column_double(st, i));
		break;
	case SQLITE_INTEGER:
		jsonw_int(w, sqlite3_column_int64(st, i));
		break;
	case SQLITE_BLOB:
		add_plain(&hex, st, i);
		buf_part_ok(w->out, &hex);
		jsonw_text(w, buf_slice(&hex));
		break;
	default:
		jsonw_text(w, store_column_slice(st, i));
		break;
	}
}

static enum imp_rc
print_json(struct store *s, sqlite3_stmt *st, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CMD_OUTPUT_MAX);
	struct jsonw w = JSONW_INIT(&out);
	enum imp_rc rc;
	bool row;

	jsonw_array(&w);
	while ((rc = store_step_row(s, st, &row, err)) == IMP_OK && row) {
		jsonw_flat_object(&w);
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			jsonw_key(&w, sqlite3_column_name(st, i));
			put_json_value(&w, st, i);
		}
		jsonw_end(&w);
		rc = flush(&out, false, err);
		if (rc != IMP_OK)
			return rc;
	}
	jsonw_end(&w);
	return rc == IMP_OK ? flush(&out, true, err) : rc;
}

/* All cells of a table as text, row by row, the names of the columns first. */
struct grid {
	struct buf text;
	VEC(size_t) end;   /* of each cell in `text` */
	VEC(bool) number;  /* cells that are aligned to the right */
	VEC(size_t) width; /* of each column, in characters */
};

static void
grid_done(struct grid *g)
{
	buf_done(&g->text);
	VEC_FREE(NULL, &g->end);
	VEC_FREE(NULL, &g->number);
	VEC_FREE(NULL, &g->width);
}

static struct slice
grid_cell(const struct grid *g, size_t i)
{
	size_t start = i > 0 ? g->end.v[i - 1] : 0;

	return (struct slice){ g->text.p + start, g->end.v[i] - start };
}

/* Characters, not bytes: good enough for alignment. */
static size_t
width_of(struct slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += (s.p[i] & 0xc0) != 0x80;
	return n;
}

static enum imp_rc
grid_add(struct grid *g, const struct buf *value, bool number, struct imp_err *err)
{
	size_t column = g->width.n > 0 ? g->end.n % g->width.n : 0, width;
	enum imp_rc rc;

	buf_part_ok(&g->text, value);
	text_add_terminal(&g->text, buf_slice(value));
	rc = buf_status(&g->text, err);
	if (rc == IMP_OK)
		rc = VEC_PUSH(NULL, &g->end, g->text.n, err);
	if (rc == IMP_OK)
		rc = VEC_PUSH(NULL, &g->number, number, err);
	if (rc != IMP_OK) {
		imp_err_hint(err, "csv and json have no such limit");
		return rc;
	}
	width = width_of(grid_cell(g, g->end.n - 1));
	if (width > g->width.v[column])
		g->width.v[column] = width;
	return IMP_OK;
}

static enum imp_rc
grid_fill(struct grid *g, struct store *s, sqlite3_stmt *st, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(CMD_OUTPUT_MAX);
	int n = sqlite3_column_count(st);
	enum imp_rc rc = IMP_OK;
	bool row;

	for (int i = 0; i < n && rc == IMP_OK; i++)
		rc = VEC_PUSH(NULL, &g->width, 0, err);
	for (int i = 0; i < n && rc == IMP_OK; i++) {
		buf_clear(&value);
		buf_add_str(&value, sqlite3_column_name(st, i));
		rc = grid_add(g, &value, false, err);
	}
	while (rc == IMP_OK && (rc = store_step_row(s, st, &row, err)) == IMP_OK && row) {
		for (int i = 0; i < n && rc == IMP_OK; i++) {
			int type = sqlite3_column_type(st, i);

			buf_clear(&value);
			add_plain(&value, st, i);
			rc = grid_add(g, &value, type == SQLITE_INTEGER || type == SQLITE_FLOAT, err);
		}
	}
	return rc;
}

static void
add_grid_row(const struct grid *g, size_t first, struct buf *out)
{
	for (size_t c = 0; c < g->width.n; c++) {
		struct slice cell = grid_cell(g, first + c);
		int pad = (int)(g->width.v[c] - width_of(cell));

		buf_add_str(out, c > 0 ? "  " : "");
		if (g->number.v[first + c])
			buf_addf(out, "%*s", pad, "");
		buf_add_slice(out, cell);
		if (!g->number.v[first + c] && c + 1 < g->width.n)
			buf_addf(out, "%*s", pad, "");
	}
	buf_add_char(out, '\n');
}

static enum imp_rc
print_aligned(struct store *s, sqlite3_stmt *st, struct imp_err *err)
{
	CLEANUP(grid_done) struct grid g = { .text = BUF_INIT(CMD_OUTPUT_MAX) };
	CLEANUP(buf_done) struct buf out = BUF_INIT(CMD_OUTPUT_MAX);
	enum imp_rc rc = grid_fill(&g, s, st, err);

	for (size_t i = 0; rc == IMP_OK && i < g.end.n; i += g.width.n) {
		add_grid_row(&g, i, &out);
		rc = flush(&out, false, err);
	}
	return rc == IMP_OK ? flush(&out, true, err) : rc;
}

enum imp_rc
table_print(struct store *s, sqlite3_stmt *st, enum table_format format, struct imp_err *err)
{
	switch (format) {
	case TABLE_CSV:
		return print_csv(s, st, err);
	case TABLE_JSON:
		return print_json(s, st, err);
	case TABLE_ALIGNED:
		break;
	}
	return print_aligned(s, st, err);
}
