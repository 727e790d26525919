#include "config.h"

#include "store/names.h"

#include <stdlib.h>
#include <string.h>

#include "sql_gen.h"
#include "store/internal.h"

struct name_list {
	bool loaded;
	VEC(char) text;	 /* all names, one behind the other */
	VEC(size_t) end; /* of each name in `text`, by number */
};

struct run_names {
	int64_t run_no;
	uint32_t data_version;
	int64_t changes;
	uint64_t state;
	struct name_list list[_NAMES_MAX];
	bool watchers_loaded;
	VEC(int64_t) watcher; /* by account */
};

static const char *const list_sql[_NAMES_MAX] = {
	[NAMES_ACCOUNT] = sql_store_names_account,
	[NAMES_TOPIC] = sql_store_names_topic,
	[NAMES_SCENARIO] = sql_store_names_scenario,
	[NAMES_AGENT] = sql_store_names_agent,
};

void
run_names_free(struct run_names *n)
{
	if (n == NULL)
		return;
	for (int i = 0; i < _NAMES_MAX; i++) {
		VEC_FREE(NULL, &n->list[i].text);
		VEC_FREE(NULL, &n->list[i].end);
	}
	VEC_FREE(NULL, &n->watcher);
	free(n);
}

int
run_names_refresh(struct store *s, uint64_t *ret_state)
{
	struct run_names *n = s->names;
	int64_t changes = sqlite3_total_changes64(s->db);
	uint32_t version = 0;
	int rc;

	if (n == NULL && (n = s->names = calloc(1, sizeof(*n))) == NULL)
		return SQLITE_NOMEM;
	rc = sqlite3_file_control(s->db, "main", SQLITE_FCNTL_DATA_VERSION, &version);
	if (rc != SQLITE_OK)
		return rc;
	if (n->state == 0 || n->run_no != s->run_no || n->data_version != version || n->changes != changes) {
		for (int i = 0; i < _NAMES_MAX; i++)
			n->list[i].loaded = false;
		n->watchers_loaded = false;
		n->run_no = s->run_no;
		n->data_version = version;
		n->changes = changes;
		n->state++;
	}
	*ret_state = n->state;
	return SQLITE_OK;
}

uint64_t
run_names_state(const struct store *s)
{
	return s->names->state;
}

/* Call `take` for each line of a query over one run whose first column counts the lines from 0. */
static int
load(struct store *s, const char *sql, int (*take)(struct run_names *, sqlite3_stmt *, void *), void *payload)
{
	sqlite3_stmt *st;
	int64_t want = 0;
	int rc;

	rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(st, 1, s->run_no);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = sqlite3_column_int64(st, 0) == want++ ? take(s->names, st, payload) : SQLITE_CORRUPT_VTAB;
		if (rc != SQLITE_OK)
			break;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
take_name(struct run_names *n, sqlite3_stmt *st, void *payload)
{
	struct name_list *l = payload;
	struct slice name = store_column_slice(st, 1);

	(void)n;
	if (VEC_RESERVE(NULL, &l->text, name.n, NULL) != IMP_OK || VEC_RESERVE(NULL, &l->end, 1, NULL) != IMP_OK)
		return SQLITE_NOMEM;
	if (name.n > 0)
		memcpy(l->text.v + l->text.n, name.p, name.n);
	l->text.n += name.n;
	l->end.v[l->end.n++] = l->text.n;
	return SQLITE_OK;
}

int
run_name(struct store *s, enum names_of of, int64_t no, struct slice *ret)
{
	struct name_list *l = &s->names->list[of];
	size_t from;
	int rc;

	if (!l->loaded) {
		l->text.n = l->end.n = 0;
		rc = load(s, list_sql[of], take_name, l);
		if (rc != SQLITE_OK)
			return rc;
		l->loaded = true;
	}
	if (no < 0 || (uint64_t)no >= l->end.n) {
		*ret = (struct slice){ NULL, 0 };
		return SQLITE_OK;
	}
	from = no > 0 ? l->end.v[no - 1] : 0;
	*ret = (struct slice){ l->text.n > 0 ? l->text.v + from : "", l->end.v[no] - from };
	return SQLITE_OK;
}

static int
take_watcher(struct run_names *n, sqlite3_stmt *st, void *payload)
{
	(void)payload;
	return VEC_PUSH(NULL, &n->watcher, sqlite3_column_int64(st, 1), NULL) == IMP_OK ? SQLITE_OK : SQLITE_NOMEM;
}

int
run_watcher(struct store *s, int64_t account, int64_t *ret_agent)
{
	struct run_names *n = s->names;
	int rc;

	if (!n->watchers_loaded) {
		n->watcher.n = 0;
		rc = load(s, sql_store_names_watcher, take_watcher, NULL);
		if (rc != SQLITE_OK)
			return rc;
		n->watchers_loaded = true;
	}
	*ret_agent = account >= 0 && (uint64_t)account < n->watcher.n ? n->watcher.v[account] : -1;
	return SQLITE_OK;
}
