#include "config.h"

#include "collect/mysql.h"

#include <ctype.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"

#define SOURCES_MAX 1000
#define TENANT_WIDTH_MAX 9
#define MONTH_HOLE "{month}"
#define TENANT_BYTES_MAX 64
#define MATCH_STEPS_MAX 100000 /* an expression that runs wild allows nothing */

static const char *const instance_keys[] = { "address", "socket", "tls", "user", "password", "database", "query_timeout",
	"scan_max", "page", "margin", "mid_max", "replica", "tables", "dead_letters", COLLECTOR_KEYS, NULL };
static const char *const message_keys[] = { "table", "pattern", "allow", "kind", "by", "mid", "topic", "seq", "id", "created",
	"zone", "tenant", "expect", NULL };
static const char *const letter_keys[] = { "table", "pattern", "allow", "mid", "topic", "time", "zone", "error", "code",
	"kafka_topic", "state", "tenant", "expect", NULL };

/* Keys of fields, and the columns that stand for them by default. */
struct field_key {
	const char *key;
	enum mysql_field field;
	bool needed;
	const char *column, *path;
};

static const struct field_key message_fields[] = {
	{ "mid", FIELD_MID, true, "head", "$.\"x-im-client-mid\"" },
	{ "topic", FIELD_TOPIC, true, "topic", NULL },
	{ "seq", FIELD_SEQ, true, "seqid", NULL },
	{ "id", FIELD_ID, false, "id", NULL },
	{ "created", FIELD_TIME, false, "createdat", NULL },
	{ .key = NULL },
};
static const struct field_key letter_fields[] = {
	{ "mid", FIELD_MID, true, "client_msg_id", NULL },
	{ "topic", FIELD_TOPIC, false, "topic", NULL },
	{ "time", FIELD_TIME, false, "created_at", NULL },
	{ "error", FIELD_ERROR, true, "error", NULL },
	{ "code", FIELD_CODE, false, "error_code", NULL },
	{ "kafka_topic", FIELD_KAFKA_TOPIC, false, "kafka_topic", NULL },
	{ "state", FIELD_STATE, false, "status", NULL },
	{ .key = NULL },
};

/* ------------------------------------------------------------------ columns */

/* A name goes into statements quoted, so that it may be any; the server knows none that is longer, or holds a NUL. */
static enum imp_rc
read_name(struct arena *arena, const struct doc_node *n, const char **ret, struct imp_err *err)
{
	enum imp_rc rc = setting_text(arena, n, NULL, ret, err);

	if (rc == IMP_OK && n != NULL && n->text.n > MYSQL_NAME_MAX * 4)
		return doc_error(&n->at, err, "a name has at most %d characters", MYSQL_NAME_MAX);
	return rc;
}

/* `replayed:` of a state: one value, or a list. */
static enum imp_rc
read_values(struct arena *arena, const struct doc_node *n, const char *const **ret, struct imp_err *err)
{
	const char **values;
	size_t i = 0;
	enum imp_rc rc = IMP_OK;

	if (n == NULL)
		return IMP_OK;
	values = arena_alloc(arena, (n->n + 2) * sizeof(*values), err);
	if (values == NULL)
		return IMP_E_NOMEM;
	if (n->kind != DOC_LIST)
		rc = setting_text(arena, n, NULL, &values[0], err);
	for (const struct doc_node *v = n->kind == DOC_LIST ? n->first : NULL; v != NULL && rc == IMP_OK; v = v->next)
		rc = setting_text(arena, v, NULL, &values[i++], err);
	if (rc == IMP_OK)
		*ret = values;
	return rc;
}

/* A column, or `{column: head, path: '$."x-im-client-mid"'}`. */
static enum imp_rc
read_field(struct arena *arena, const struct doc_node *n, bool state, struct mysql_source *s, struct mysql_column *ret,
    struct imp_err *err)
{
	static const char *const keys[] = { "column", "path", NULL }, *const state_keys[] = { "column", "path", "replayed", NULL };
	const struct doc_node *column = NULL;
	enum imp_rc rc;

	ret->named = true;
	ret->path = NULL;
	if (n->kind != DOC_MAP)
		return read_name(arena, n, &ret->name, err);
	rc = doc_check_keys(n, state ? state_keys : keys, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "column", &column, err);
	if (rc == IMP_OK)
		rc = read_name(arena, column, &ret->name, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "path"), NULL, &ret->path, err);
	if (rc == IMP_OK && ret->path != NULL && ret->path[0] != '$')
		return doc_error(&doc_get(n, "path")->at, err, "a JSON path begins with '$': $.\"x-im-client-mid\"");
	return rc == IMP_OK ? read_values(arena, doc_get(n, "replayed"), &s->replayed, err) : rc;
}

static enum imp_rc
read_fields(struct arena *arena, const struct doc_node *map, struct mysql_source *s, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct field_key *k = s->letters ? letter_fields : message_fields; k->key != NULL && rc == IMP_OK; k++) {
		const struct doc_node *n = doc_get(map, k->key);
		struct mysql_column *c = &s->fields[k->field];

		*c = (struct mysql_column){ .name = k->column, .path = k->path, .needed = k->needed };
		if (n != NULL)
			rc = read_field(arena, n, k->field == FIELD_STATE, s, c, err);
	}
	return rc;
}

/* ------------------------------------------------------------------ tables */

static enum imp_rc
read_allow(struct arena *arena, const struct doc_node *n, struct mysql_source *s, struct imp_err *err)
{
	const char *text = NULL;
	PCRE2_UCHAR8 why[128];
	PCRE2_SIZE where;
	int code;
	enum imp_rc rc = setting_text(arena, n, NULL, &text, err);

	if (rc != IMP_OK)
		return rc;
	s->allow = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	    PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C, &code, &where, NULL);
	if (s->allow != NULL)
		return IMP_OK;
	pcre2_get_error_message(code, why, sizeof(why));
	return doc_error(&n->at, err, "not a regular expression: %s", (const char *)why);
}

/* `table`, or `pattern` with `allow`. */
static enum imp_rc
read_table_name(struct arena *arena, const struct doc_node *map, struct mysql_source *s, struct imp_err *err)
{
	const struct doc_node *table = doc_get(map, "table"), *pattern = doc_get(map, "pattern"), *allow = doc_get(map, "allow");
	enum imp_rc rc;

	if ((table != NULL) == (pattern != NULL))
		return doc_error(&map->at, err, "either `table` or `pattern` is needed");
	if ((pattern != NULL) != (allow != NULL))
		return doc_error(&map->at, err,
		    "`pattern` and `allow` belong together: a name from outside is checked before it is used");
	if (table != NULL)
		return read_name(arena, table, &s->table, err);
	rc = setting_text(arena, pattern, NULL, &s->pattern, err);
	return rc == IMP_OK ? read_allow(arena, allow, s, err) : rc;
}

static enum imp_rc
read_tenant(struct arena *arena, const struct doc_node *n, struct mysql_source *s, struct imp_err *err)
{
	static const char *const keys[] = { "column", "value", NULL };
	const struct doc_node *column, *value;
	enum imp_rc rc;

	if (n == NULL)
		return IMP_OK;
	rc = doc_is(n, DOC_MAP, err);
	if (rc == IMP_OK)
		rc = doc_check_keys(n, keys, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "column", &column, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "value", &value, err);
	if (rc == IMP_OK)
		rc = read_name(arena, column, &s->tenant_column, err);
	return rc == IMP_OK ? setting_text(arena, value, NULL, &s->tenant, err) : rc;
}

static bool
is_zone(const char *s)
{
	return strcmp(s, "Z") == 0 ||
	    (strlen(s) == 6 && (s[0] == '+' || s[0] == '-') && isdigit((unsigned char)s[1]) && isdigit((unsigned char)s[2]) &&
		s[3] == ':' && isdigit((unsigned char)s[4]) && isdigit((unsigned char)s[5]));
}

static enum imp_rc
read_expected(struct arena *arena, const struct doc_node *n, struct mysql_source *s, struct imp_err *err)
{
	static const char *const keys[] = { "column", "type", NULL };
	struct mysql_expected *v;
	enum imp_rc rc = n != NULL ? doc_is(n, DOC_LIST, err) : IMP_OK;

	if (rc != IMP_OK || n == NULL)
		return rc;
	v = arena_alloc(arena, (n->n + 1) * sizeof(*v), err);
	if (v == NULL)
		return IMP_E_NOMEM;
	s->expected = v;
	for (const struct doc_node *e = n->first; e != NULL && rc == IMP_OK; e = e->next) {
		const struct doc_node *column;

		rc = doc_is(e, DOC_MAP, err);
		if (rc == IMP_OK)
			rc = doc_check_keys(e, keys, err);
		if (rc == IMP_OK)
			rc = doc_need(e, "column", &column, err);
		if (rc == IMP_OK)
			rc = read_name(arena, column, &v[s->nexpected].column, err);
		if (rc == IMP_OK)
			rc = setting_text(arena, doc_get(e, "type"), NULL, &v[s->nexpected].type, err);
		s->nexpected++;
	}
	return rc;
}

static enum imp_rc
read_kind_and_way(const struct doc_node *map, struct mysql_source *s, struct imp_err *err)
{
	static const char *const kinds[] = { "p2p", "group", NULL }, *const ways[] = { "index", "mid", "topic", NULL };
	const struct doc_node *kind = doc_get(map, "kind"), *by = doc_get(map, "by");
	unsigned i;
	enum imp_rc rc = IMP_OK;

	if (kind != NULL) {
		rc = doc_choice(kind, "kind", kinds, &i, err);
		if (rc == IMP_OK)
			s->kind = kinds[i];
	}
	if (rc == IMP_OK && by != NULL) {
		rc = doc_choice(by, "way to find rows", ways, &i, err);
		if (rc == IMP_OK)
			s->by = (enum mysql_by)i;
	}
	return rc;
}

static enum imp_rc
read_source(struct arena *arena, const struct doc_node *map, struct mysql_source *s, struct imp_err *err)
{
	static const char *const replayed[] = { "replayed", NULL };
	enum imp_rc rc = doc_is(map, DOC_MAP, err);

	s->replayed = replayed;
	if (rc == IMP_OK)
		rc = doc_check_keys(map, s->letters ? letter_keys : message_keys, err);
	if (rc == IMP_OK)
		rc = read_table_name(arena, map, s, err);
	if (rc == IMP_OK)
		rc = read_kind_and_way(map, s, err);
	if (rc == IMP_OK)
		rc = read_fields(arena, map, s, err);
	if (rc == IMP_OK)
		rc = read_tenant(arena, doc_get(map, "tenant"), s, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(map, "zone"), "Z", &s->zone, err);
	if (rc == IMP_OK && !is_zone(s->zone))
		return doc_error(&doc_get(map, "zone")->at, err, "a zone is 'Z' or an offset such as '+08:00'");
	return rc == IMP_OK ? read_expected(arena, doc_get(map, "expect"), s, err) : rc;
}

static enum imp_rc
read_sources(struct arena *arena, const struct doc_node *map, struct mysql_settings *s, struct imp_err *err)
{
	const struct doc_node *lists[] = { doc_get(map, "tables"), doc_get(map, "dead_letters") };
	size_t n = 0;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < 2 && rc == IMP_OK; i++) {
		if (lists[i] != NULL)
			rc = doc_is(lists[i], DOC_LIST, err);
		n += lists[i] != NULL ? lists[i]->n : 0;
	}
	if (rc != IMP_OK)
		return rc;
	if (n > SOURCES_MAX)
		return doc_error(&map->at, err, "more than %d tables", SOURCES_MAX);
	s->sources = arena_alloc(arena, (n + 1) * sizeof(*s->sources), err);
	if (s->sources == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < 2; i++) {
		for (const struct doc_node *e = lists[i] != NULL ? lists[i]->first : NULL; e != NULL && rc == IMP_OK; e = e->next) {
			struct mysql_source *one = &s->sources[s->nsources++];

			one->letters = i == 1;
			rc = read_source(arena, e, one, err);
		}
	}
	return rc;
}

/* ------------------------------------------------------------------ an instance */

static enum imp_rc
read_account(struct arena *arena, const struct doc_node *map, struct mysql_settings *s, struct imp_err *err)
{
	const struct doc_node *user, *database;
	enum imp_rc rc = doc_need(map, "user", &user, err);

	if (rc == IMP_OK)
		rc = setting_text(arena, user, NULL, &s->user, err);
	if (rc == IMP_OK)
		rc = doc_need(map, "database", &database, err);
	if (rc == IMP_OK)
		rc = read_name(arena, database, &s->database, err);
	return rc == IMP_OK ? secret_read(doc_get(map, "password"), &s->password, err) : rc;
}

static enum imp_rc
read_bounds(const struct doc_node *map, struct mysql_settings *s, struct imp_err *err)
{
	enum imp_rc rc = setting_length(doc_get(map, "query_timeout"), 60 * NS_PER_S, &s->query_ns, err);

	if (rc == IMP_OK)
		rc = setting_length(doc_get(map, "margin"), 600 * NS_PER_S, &s->margin_ns, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(map, "scan_max"), 100000, 0, UINT64_C(1000000000000), &s->scan_max, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(map, "page"), 1000, 1, 1000000, &s->page, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(map, "mid_max"), 64, 1, 65535, &s->mid_max, err);
	return rc == IMP_OK ? setting_bool(doc_get(map, "replica"), false, &s->replica, err) : rc;
}

enum imp_rc
mysql_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err)
{
	struct mysql_settings *s = arena_alloc(arena, sizeof(*s), err);
	enum imp_rc rc;

	if (s == NULL)
		return IMP_E_NOMEM;
	s->source = source;
	s->limits = *limits;
	rc = doc_check_keys(map, instance_keys, err);
	if (rc == IMP_OK)
		rc = endpoint_read(arena, map, "3306", &s->at, err);
	if (rc == IMP_OK)
		rc = read_bounds(map, s, err);
	if (rc == IMP_OK)
		rc = read_sources(arena, map, s, err);
	if (rc == IMP_OK)
		rc = read_account(arena, map, s, err);
	if (rc != IMP_OK) {
		mysql_forget(s);
		return rc;
	}
	*ret_settings = s;
	return IMP_OK;
}

void
mysql_forget(void *settings)
{
	struct mysql_settings *s = settings;

	if (s == NULL)
		return;
	for (size_t i = 0; i < s->nsources; i++) {
		pcre2_code_free(s->sources[i].allow);
		s->sources[i].allow = NULL;
	}
	secret_done(&s->password);
}

bool
mysql_holds_letters(const void *settings)
{
	const struct mysql_settings *s = settings;

	for (size_t i = 0; i < s->nsources; i++)
		if (s->sources[i].letters)
			return true;
	return false;
}

/* ------------------------------------------------------------------ names of tables */

/* The width of "{tenant}" (0) or "{tenant:3}" at `p`; -1: it is something else. *ret_n is how long it is. */
static int
tenant_hole(const char *p, size_t *ret_n)
{
	static const char word[] = "{tenant";
	const char *q = p + sizeof(word) - 1;
	int width = 0;

	if (strncmp(p, word, sizeof(word) - 1) != 0)
		return -1;
	if (*q == ':' && isdigit((unsigned char)q[1]) && q[1] - '0' <= TENANT_WIDTH_MAX) {
		width = q[1] - '0';
		q += 2;
	}
	*ret_n = (size_t)(q + 1 - p);
	return *q == '}' ? width : -1;
}

/* {tenant} and {month} of `text` put in; `month` NULL: it has none. */
static enum imp_rc
put(const char *text, const char *tenant, const char *month, struct buf *out, struct imp_err *err)
{
	const char *whole = text;

	while (*text != '\0') {
		size_t n = 0;
		int width = tenant_hole(text, &n);

		if (month != NULL && strncmp(text, MONTH_HOLE, sizeof(MONTH_HOLE) - 1) == 0) {
			buf_add_str(out, month);
			n = sizeof(MONTH_HOLE) - 1;
		} else if (width < 0) {
			buf_add_char(out, *text);
			n = 1;
		} else if (tenant == NULL || tenant[0] == '\0' || strlen(tenant) > TENANT_BYTES_MAX) {
			return imp_err_set(err, IMP_E_DATA, "run.json names no tenant, for '%.100s'", whole);
		} else {
			for (int zeros = width - (int)strlen(tenant); zeros > 0; zeros--)
				buf_add_char(out, '0');
			buf_add_str(out, tenant);
		}
		text += n;
	}
	return buf_status(out, err);
}

enum imp_rc
mysql_put_tenant(const char *text, const char *tenant, struct buf *out, struct imp_err *err)
{
	return put(text, tenant, NULL, out, err);
}

bool
mysql_has_month(const struct mysql_source *of)
{
	return of->pattern != NULL && strstr(of->pattern, MONTH_HOLE) != NULL;
}

bool
mysql_name_allowed(const struct mysql_source *of, struct slice name)
{
	pcre2_match_data *match = pcre2_match_data_create_from_pattern(of->allow, NULL);
	pcre2_match_context *limits = pcre2_match_context_create(NULL);
	bool allowed = false;

	if (match != NULL && limits != NULL) {
		pcre2_set_match_limit(limits, MATCH_STEPS_MAX);
		allowed = pcre2_match(of->allow, (PCRE2_SPTR)name.p, name.n, 0, 0, match, limits) > 0;
	}
	pcre2_match_context_free(limits);
	pcre2_match_data_free(match);
	return allowed;
}

enum imp_rc
mysql_table_name(const struct mysql_source *of, const char *tenant, const char *month, struct buf *out, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(1024);
	enum imp_rc rc;

	if (of->table != NULL) {
		buf_add_str(out, of->table);
		return buf_status(out, err);
	}
	if (month == NULL && mysql_has_month(of))
		return imp_err_set(err, IMP_E_DATA, "nobody says when the load began, for '%.100s'", of->pattern);
	rc = put(of->pattern, tenant, month, out, err);
	if (rc != IMP_OK || (out->n <= MYSQL_NAME_MAX && mysql_name_allowed(of, buf_slice(out))))
		return rc;
	text_add_terminal(&shown, buf_slice(out));
	imp_err_set(err, IMP_E_DATA, "the tenant of run.json makes a table '%s', which `allow` does not allow",
	    shown.p != NULL ? shown.p : "");
	return IMP_E_DATA;
}
