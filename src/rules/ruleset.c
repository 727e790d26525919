#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "ingest/source.h"
#include "rules/cause.h"
#include "rules/rule.h"
#include "rules/rule_sql.h"
#include "rules_gen.h"

#define RULES_MAX 2000
#define DIR_FILES_MAX 1000
#define ENGINE_VERSION 1 /* what `engine: '>=1.0'` asks for */

static const char *const file_keys[] = { "engine", "rules", NULL };

/* Causes have names of their own: what makes a run invalid may be the cause of its figures as well. */
static const struct rule *
find(const struct ruleset *rs, struct slice id, bool cause)
{
	for (size_t i = 0; i < rs->rules.n; i++)
		if ((rs->rules.v[i]->kind == RULE_KIND_CAUSE) == cause && slice_eq(rs->rules.v[i]->id, id))
			return rs->rules.v[i];
	return NULL;
}

const struct rule *
ruleset_find(const struct ruleset *rs, struct slice id)
{
	return find(rs, id, false);
}

const struct rule *
ruleset_find_cause(const struct ruleset *rs, struct slice id)
{
	return find(rs, id, true);
}

const struct profile_plan *
ruleset_plan(const struct ruleset *rs, struct slice id)
{
	for (size_t i = 0; i < rs->plans.n; i++)
		if (slice_eq(rs->plans.v[i].profile->id, id))
			return &rs->plans.v[i];
	return NULL;
}

/* `engine: '>=1.0'`: a file for a later engine may mean something that this one does not know. */
static enum imp_rc
check_engine(const struct doc_node *n, struct imp_err *err)
{
	struct interval ours = { true, true, number_int(ENGINE_VERSION), number_int(ENGINE_VERSION) };
	struct threshold asked;
	const char *why;
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc != IMP_OK)
		return rc;
	if (!threshold_parse(n->text, &asked, &why) || asked.unit != UNIT_NONE)
		return doc_error(&n->at, err, "an engine is asked for as '>=1.0'");
	if (threshold_test(&asked, &ours) != RULE_PASS)
		return doc_error(&n->at, err, "this file is for another engine than %d.0", ENGINE_VERSION);
	return IMP_OK;
}

/* Take a rule in: it replaces one of an earlier origin with its id. */
static enum imp_rc
add_rule(struct ruleset *rs, struct rule *r, struct imp_err *err)
{
	for (size_t i = 0; i < rs->rules.n; i++) {
		const struct rule *old = rs->rules.v[i];

		if (!slice_eq(old->id, r->id) || (old->kind == RULE_KIND_CAUSE) != (r->kind == RULE_KIND_CAUSE))
			continue;
		if (old->origin == r->origin)
			return doc_error(&r->at, err, "rule '%.*s' is also at %s:%u", SLICE_ARG(r->id), old->at.file,
			    (unsigned)old->at.line);
		if (old->kind != r->kind)
			return doc_error(&r->at, err, "rule '%.*s' replaces one of another kind at %s:%u", SLICE_ARG(r->id),
			    old->at.file, (unsigned)old->at.line);
		rs->rules.v[i] = r;
		return IMP_OK;
	}
	if (rs->rules.n == RULES_MAX)
		return doc_error(&r->at, err, "more than %d rules", RULES_MAX);
	return VEC_PUSH(NULL, &rs->rules, r, err);
}

enum imp_rc
ruleset_add_file(struct ruleset *rs, unsigned origin, const char *name, struct slice text, struct imp_err *err)
{
	struct slice file = arena_slice(&rs->arena, slice_of(name), err);
	struct doc_node *root;
	const struct doc_node *engine, *list;
	enum imp_rc rc = file.p != NULL ? doc_parse(&rs->arena, file.p, text, &root, err) : IMP_E_NOMEM;

	if (rc == IMP_OK)
		rc = doc_check_keys(root, file_keys, err);
	if (rc == IMP_OK)
		rc = doc_need(root, "engine", &engine, err);
	if (rc == IMP_OK)
		rc = check_engine(engine, err);
	if (rc == IMP_OK)
		rc = doc_need(root, "rules", &list, err);
	if (rc == IMP_OK)
		rc = doc_is(list, DOC_LIST, err);
	if (rc != IMP_OK)
		return rc;
	for (const struct doc_node *n = list->first; n != NULL && rc == IMP_OK; n = n->next) {
		struct rule *r = arena_alloc(&rs->arena, sizeof(*r), err);

		if (r == NULL)
			return IMP_E_NOMEM;
		rc = rule_parse(&rs->arena, n, r, err);
		r->origin = origin;
		if (rc == IMP_OK)
			rc = add_rule(rs, r, err);
	}
	return rc;
}

/* The digest is over name, length and bytes of every file in the order of loading. */
static void
add_to_digest(struct sha256 *hash, const char *name, struct slice text)
{
	uint64_t length = text.n;
	unsigned char le[8];

	for (size_t i = 0; i < sizeof(le); i++)
		le[i] = (unsigned char)(length >> (8 * i));
	sha256_add(hash, name, strlen(name) + 1);
	sha256_add(hash, le, sizeof(le));
	sha256_add(hash, text.p, text.n);
}

/* The lines of a built-in file, empty ones in place of the tests of its rules. */
static void
add_without_tests(struct slice text, struct buf *out)
{
	bool tests = false;

	while (text.n > 0) {
		const char *end = memchr(text.p, '\n', text.n);
		struct slice line = { text.p, end != NULL ? (size_t)(end - text.p) + 1 : text.n };
		bool goes_on = slice_has_prefix(line, SLICE("   ")) || slice_has_prefix(line, SLICE("  - ")) || line.p == end;

		tests = (tests && goes_on) || slice_eq(line, SLICE("  tests:\n"));
		buf_add_slice(out, tests ? SLICE("\n") : line);
		text.p += line.n;
		text.n -= line.n;
	}
}

static enum imp_rc
add_builtin(struct ruleset *rs, struct sha256 *hash, bool tests_too, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf rest = BUF_INIT(DOC_BYTES_MAX);
	enum imp_rc rc = IMP_OK;

	for (const struct rules_file *f = rules_files; f->name != NULL && rc == IMP_OK; f++) {
		struct slice text = { f->text, f->length };

		add_to_digest(hash, f->name, text);
		buf_clear(&rest);
		if (!tests_too)
			add_without_tests(text, &rest);
		rc = buf_status(&rest, err);
		if (rc == IMP_OK)
			rc = ruleset_add_file(rs, 0, f->name, tests_too ? text : buf_slice(&rest), err);
	}
	return rc;
}

/* A whole file, at most one byte more than a rule file may have. */
static enum imp_rc
read_file(const char *path, struct buf *out, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char block[8192];
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st) != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return imp_err_set(err, IMP_E_RULE, "'%s' is not a file", path);
	while (n > 0 && out->n <= DOC_BYTES_MAX) {
		n = read(fd, block, sizeof(block));
		if (n > 0)
			buf_add(out, block, (size_t)n);
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (n < 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not read '%s'", path);
	return buf_status(out, err);
}

static int
is_rule_file(const struct dirent *e)
{
	return e->d_name[0] != '.' && slice_has_suffix(slice_of(e->d_name), SLICE(".yaml"));
}

static int
compare_entries(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static enum imp_rc
add_entry(struct ruleset *rs, struct sha256 *hash, unsigned origin, const char *dir, const char *name, struct imp_err *err)
{
	struct buf path = BUF_INIT(8192), text = BUF_INIT(DOC_BYTES_MAX + 8192);
	enum imp_rc rc;

	buf_addf(&path, "%s/%s", dir, name);
	rc = buf_status(&path, err);
	if (rc == IMP_OK)
		rc = read_file(path.p, &text, err);
	if (rc == IMP_OK) {
		struct slice content = { text.n > 0 ? text.p : "", text.n };

		add_to_digest(hash, name, content);
		rc = ruleset_add_file(rs, origin, path.p, content, err);
	}
	buf_done(&text);
	buf_done(&path);
	return rc;
}

static enum imp_rc
add_dir(struct ruleset *rs, struct sha256 *hash, unsigned origin, const char *dir, struct imp_err *err)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_rule_file, compare_entries);
	enum imp_rc rc = IMP_OK;

	if (n < 0) {
		int errnum = errno;

		return imp_err_errno(err, errnum == ENOMEM ? IMP_E_NOMEM : IMP_E_NOINPUT, errnum, "could not open rules '%s'", dir);
	}
	if (n > DIR_FILES_MAX)
		rc = imp_err_set(err, IMP_E_RULE, "'%s' has more than %d rule files", dir, DIR_FILES_MAX);
	for (int i = 0; i < n && rc == IMP_OK; i++)
		rc = add_entry(rs, hash, origin, dir, entries[i]->d_name, err);
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return rc;
}

static enum imp_rc
add_all(struct ruleset *rs, const struct rules_options *opt, struct imp_err *err)
{
	CLEANUP(sha256_done) struct sha256 hash = { .context = NULL };
	unsigned char sum[SHA256_BYTES];
	enum imp_rc rc = sha256_begin(&hash, err);

	if (rc == IMP_OK)
		rc = add_builtin(rs, &hash, opt->purpose != RULES_TO_JUDGE, err);
	for (size_t i = 0; i < opt->ndirs && rc == IMP_OK; i++)
		rc = add_dir(rs, &hash, (unsigned)i + 1, opt->dirs[i], err);
	if (rc == IMP_OK)
		rc = sha256_end(&hash, sum, err);
	if (rc == IMP_OK)
		source_hex(sum, rs->digest);
	return rc;
}

struct check {
	const struct ruleset *rs;
	const struct rule *rule;
	sqlite3 *db;
};

static enum imp_rc
check_value(void *payload, const struct value_expr *e, struct imp_err *err)
{
	const struct check *c = payload;
	const struct rule *r;

	switch (e->kind) {
	case VALUE_RULE:
		r = ruleset_find(c->rs, e->names[0]);
		if (c->rule->kind != RULE_KIND_GATE)
			return doc_error(&e->at, err, "only a gate can ask for another rule");
		if (e->nnames != 1 || r == NULL || r->kind != RULE_KIND_VALIDITY)
			return doc_error(&e->at, err, "'%.*s' is no validity rule", SLICE_ARG(e->names[0]));
		return IMP_OK;
	case VALUE_COUNT:
		r = ruleset_find(c->rs, e->names[0]);
		if (r == NULL || strcmp(rule_kind_names[r->kind], e->counted) != 0)
			return doc_error(&e->at, err, "'%.*s' is no %s", SLICE_ARG(e->names[0]), e->counted);
		return IMP_OK;
	case VALUE_ROWS:
		return rule_sql_check(&e->sql, c->db, NULL, 0, err);
	case VALUE_SQL:
		return rule_sql_check(&e->sql, c->db, rule_sql_value_columns, 0, err);
	default:
		return IMP_OK;
	}
}

/* `also` names signatures. */
static enum imp_rc
check_also(const struct ruleset *rs, const struct rule *r, struct imp_err *err)
{
	for (size_t i = 0; i < r->log.nalso; i++) {
		const struct rule *other = ruleset_find(rs, r->log.also[i]);

		if (other == NULL || other->kind != RULE_KIND_SIGNATURE)
			return doc_error(&r->at, err, "'also': '%.*s' is no signature", SLICE_ARG(r->log.also[i]));
	}
	return IMP_OK;
}

/* What a rule says of other rules, and its SQL. */
static enum imp_rc
check_kind(struct check *c, struct imp_err *err)
{
	switch (c->rule->kind) {
	case RULE_KIND_SIGNATURE:
		return check_also(c->rs, c->rule, err);
	case RULE_KIND_QUERY:
		return rule_sql_check(&c->rule->query, c->db, NULL, 0, err);
	case RULE_KIND_CAUSE:
		return cause_check(c->rs, c->rule, c->db, err);
	default:
		return IMP_OK;
	}
}

static enum imp_rc
check_rule(struct check *c, struct imp_err *err)
{
	const struct rule *r = c->rule;
	enum imp_rc rc = check_kind(c, err);

	for (size_t i = 0; i < r->nconditions && rc == IMP_OK; i++) {
		if (r->conditions[i].has_only_when)
			rc = rule_sql_check(&r->conditions[i].only_when, c->db, NULL, 0, err);
		if (rc == IMP_OK && r->conditions[i].value != NULL)
			rc = value_walk(r->conditions[i].value, check_value, c, err);
	}
	if (rc == IMP_OK && r->applies.has_sql)
		rc = rule_sql_check(&r->applies.sql, c->db, NULL, 0, err);
	if (rc == IMP_OK && r->has_evidence)
		rc = rule_sql_check(&r->evidence, c->db, rule_sql_evidence_columns, 2, err);
	return rc;
}

/* An empty store with no run in it, sealed as it will be. */
static enum imp_rc
open_empty(struct store **ret, struct imp_err *err)
{
	enum imp_rc rc = store_open(":memory:", STORE_WRITE, 0, ret, err);

	if (rc == IMP_OK)
		rc = store_select_run(*ret, 0, err);
	return rc == IMP_OK ? store_seal(*ret, 0, err) : rc;
}

enum imp_rc
ruleset_check(const struct ruleset *rs, unsigned origin, struct imp_err *err)
{
	struct store *s = NULL;
	struct check c = { .rs = rs };
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < rs->rules.n && rc == IMP_OK; i++) {
		c.rule = rs->rules.v[i];
		if (c.rule->origin < origin)
			continue;
		if (s == NULL)
			rc = open_empty(&s, err);
		if (rc != IMP_OK)
			break;
		c.db = store_db(s);
		rc = check_rule(&c, err);
	}
	store_close(s);
	return rc;
}

void
rules_freep(struct ruleset **rs)
{
	rules_free(*rs);
}

enum imp_rc
rules_load(const struct rules_options *opt, struct ruleset **ret, struct imp_err *err)
{
	CLEANUP(rules_freep) struct ruleset *rs = calloc(1, sizeof(*rs));
	enum imp_rc rc;

	if (rs == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: rules");
	rc = add_all(rs, opt, err);
	if (rc == IMP_OK)
		rc = profile_resolve_all(rs, opt->today, err);
	if (rc == IMP_OK)
		rc = signatures_collect(rs, err);
	if (rc == IMP_OK)
		rc = ruleset_check(rs, opt->purpose == RULES_TO_CHECK ? 0 : 1, err);
	if (rc == IMP_OK)
		*ret = TAKE(rs);
	return rc;
}

void
rules_free(struct ruleset *rs)
{
	if (rs == NULL)
		return;
	VEC_FREE(NULL, &rs->rules);
	VEC_FREE(NULL, &rs->plans);
	arena_done(&rs->arena);
	free(rs);
}

const char *
rules_digest(const struct ruleset *rs)
{
	return rs->digest;
}
