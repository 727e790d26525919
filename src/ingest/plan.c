#include "config.h"

#include "ingest/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/time.h"
#include "ingest/json.h"
#include "ingest/source.h"

static const char *const mark_names[_PLAN_MARK_MAX] = {
#define X(m) #m,
	PLAN_MARKS(X)
#undef X
};

const char *
plan_mark_name(enum plan_mark m)
{
	return mark_names[m];
}

bool
plan_mark_parse(struct slice name, enum plan_mark *ret)
{
	for (int m = 0; m < _PLAN_MARK_MAX; m++) {
		if (slice_eq(name, slice_of(mark_names[m]))) {
			*ret = (enum plan_mark)m;
			return true;
		}
	}
	return false;
}

const char *
kind_name(enum kind kind)
{
	return kind == KIND_P2P ? "p2p" : kind == KIND_GROUP ? "group" : NULL;
}

enum kind
kind_parse(struct slice s)
{
	return slice_eq(s, SLICE("p2p")) ? KIND_P2P : slice_eq(s, SLICE("group")) ? KIND_GROUP : KIND_UNKNOWN;
}

int64_t
plan_default_drain_ns(enum kind kind)
{
	return (kind == KIND_GROUP ? 60 : 30) * INT64_C(1000000000);
}

/* ------------------------------------------------------------------ one JSON file */

struct reading {
	const char *path;
	struct plan *plan;
	struct imp_err *err;
};

static enum imp_rc
refuse(const struct reading *rd, const char *what)
{
	imp_err_set(rd->err, IMP_E_DATA, "'%s': %s", rd->path, what);
	imp_err_hint(rd->err, "the plan decides every denominator: mend the file, or take it away to audit without a plan");
	return IMP_E_DATA;
}

/* The text of a file, with the padding that reading it needs behind. */
static enum imp_rc
read_text(const struct inputs *in, const char *path, struct buf *out, struct imp_err *err)
{
	struct source_limits limits = { .line_max = PLAN_BYTES_MAX, .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	struct source_line line;
	bool more = true;
	enum imp_rc rc = source_open(in->dirfd, path, &limits, &src, err);

	while (rc == IMP_OK && more) {
		rc = source_next(src, &line, &more, err);
		if (rc == IMP_OK && more) {
			buf_add_slice(out, line.text);
			buf_add_char(out, '\n');
		}
	}
	buf_add(out, (const char[JSON_PADDING]){ 0 }, JSON_PADDING);
	if (rc != IMP_OK)
		return rc;
	rc = buf_status(out, err);
	if (rc != IMP_OK)
		imp_err_wrap(err, "'%s'", path);
	return rc;
}

static enum imp_rc
read_object(const struct reading *rd, struct slice text, struct arena *arena, struct json *ret)
{
	char what[256];
	struct imp_err why;
	enum imp_rc rc = json_read(arena, text, ret, &why);

	if (rc == IMP_E_NOMEM)
		return imp_err_set(rd->err, rc, "out of memory: '%s'", rd->path);
	if (rc == IMP_OK && ret->type == JSON_OBJECT)
		return IMP_OK;
	snprintf(what, sizeof(what), "not a JSON object (%.200s)", rc == IMP_OK ? "another type" : why.msg);
	return refuse(rd, what);
}

/* ------------------------------------------------------------------ values */

static enum imp_rc
get_text(const struct reading *rd, const struct json *o, const char *key, struct slice *ret)
{
	const struct json *v = json_get(o, key);
	char what[96];

	if (v == NULL)
		return IMP_OK;
	if (v->type != JSON_TEXT) {
		snprintf(what, sizeof(what), "`%s` is not a string", key);
		return refuse(rd, what);
	}
	*ret = arena_slice(&rd->plan->arena, v->text, rd->err);
	return ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
}

/* An integer from `min` to `max`, so that sums and differences stay inside an int64. */
static enum imp_rc
get_int(const struct reading *rd, const struct json *o, const char *key, int64_t min, int64_t max, int64_t *ret)
{
	const struct json *v = json_get(o, key);
	char what[128];

	if (v == NULL)
		return IMP_OK;
	if (v->type != JSON_INT || v->i < min || v->i > max) {
		snprintf(what, sizeof(what), "`%s` is not an integer from %" PRId64 " to %" PRId64, key, min, max);
		return refuse(rd, what);
	}
	*ret = v->i;
	return IMP_OK;
}

static enum imp_rc
get_count(const struct reading *rd, const struct json *o, const char *key, int64_t *ret)
{
	return get_int(rd, o, key, 0, PLAN_COUNT_MAX, ret);
}

static enum imp_rc
get_time(const struct reading *rd, const struct json *o, const char *key, int64_t *ret)
{
	return get_int(rd, o, key, -TIME_MAX, TIME_MAX, ret);
}

static bool
get_bool(const struct json *o, const char *key)
{
	const struct json *v = json_get(o, key);

	return v != NULL && v->type == JSON_BOOL && v->truth;
}

/* An array and its first item, both NULL when the key is not there. */
static enum imp_rc
get_array(const struct reading *rd, const struct json *o, const char *key, const struct json **ret, const struct json **ret_item)
{
	const struct json *v = json_get(o, key);
	char what[96];

	*ret = *ret_item = NULL;
	if (v == NULL)
		return IMP_OK;
	if (v->type != JSON_ARRAY) {
		snprintf(what, sizeof(what), "`%s` is not an array", key);
		return refuse(rd, what);
	}
	*ret = v;
	*ret_item = v->items.first;
	return IMP_OK;
}

#define GET_TEXTS(rd, o, key, vec, rc) \
	do { \
		const struct json *array_, *item_; \
		(rc) = get_array((rd), (o), (key), &array_, &item_); \
		for (; (rc) == IMP_OK && item_ != NULL; item_ = item_->next) { \
			struct slice s_; \
			if (item_->type != JSON_TEXT) { \
				(rc) = refuse((rd), "`" key "` holds something that is no string"); \
				break; \
			} \
			s_ = arena_slice(&(rd)->plan->arena, item_->text, (rd)->err); \
			(rc) = s_.p != NULL ? VEC_PUSH(NULL, (vec), s_, (rd)->err) : IMP_E_NOMEM; \
		} \
	} while (0)

static enum imp_rc
get_drain(const struct reading *rd, const struct json *o, enum kind kind, int64_t *ret)
{
	const struct json *v = json_get(o, "drain_s");
	double s;

	*ret = plan_default_drain_ns(kind);
	if (v == NULL)
		return IMP_OK;
	s = v->type == JSON_INT ? (double)v->i : v->type == JSON_REAL ? v->d : -1;
	if (!(s >= 0 && s <= 1e8))
		return refuse(rd, "`drain_s` is not a number of seconds");
	*ret = v->type == JSON_INT ? v->i * 1000000000 : (int64_t)(s * 1e9 + 0.5);
	return IMP_OK;
}

static enum imp_rc
read_scenario(const struct reading *rd, const struct json *o)
{
	struct plan_scenario sc = { .planned = PLAN_UNKNOWN };
	struct slice kind = { NULL, 0 };
	enum imp_rc rc;

	if (o->type != JSON_OBJECT)
		return refuse(rd, "`scenarios` holds something that is no object");
	rc = get_text(rd, o, "id", &sc.id);
	if (rc == IMP_OK)
		rc = get_text(rd, o, "kind", &kind);
	if (rc == IMP_OK)
		rc = get_count(rd, o, "planned_messages", &sc.planned);
	if (rc != IMP_OK)
		return rc;
	sc.kind = kind_parse(kind);
	sc.warmup = get_bool(o, "warmup");
	if (sc.id.p == NULL || (kind.p != NULL && sc.kind == KIND_UNKNOWN))
		return refuse(rd, "a scenario needs an `id`, and its `kind` is `p2p` or `group`");
	for (size_t i = 0; i < rd->plan->scenarios.n; i++) {
		if (slice_eq(rd->plan->scenarios.v[i].id, sc.id))
			return refuse(rd, "two scenarios have the same `id`");
	}
	rc = get_drain(rd, o, sc.kind, &sc.drain_ns);
	return rc == IMP_OK ? VEC_PUSH(NULL, &rd->plan->scenarios, sc, rd->err) : rc;
}

static enum imp_rc
read_scenarios(const struct reading *rd, const struct json *o)
{
	const struct json *array, *item;
	enum imp_rc rc = get_array(rd, o, "scenarios", &array, &item);

	if (rc == IMP_OK && array != NULL && array->items.n > PLAN_SCENARIOS_MAX)
		return refuse(rd, "more than 1000 scenarios");
	for (; rc == IMP_OK && item != NULL; item = item->next)
		rc = read_scenario(rd, item);
	return rc;
}

static enum imp_rc
read_run(const struct reading *rd, const struct json *o)
{
	struct plan *p = rd->plan;
	const struct {
		const char *key;
		struct slice *ret;
	} text[] = {
		{ "run_id", &p->run_id },
		{ "tenant", &p->tenant },
		{ "server", &p->server },
		{ "gates", &p->gates },
		{ "log_zone", &p->log_zone },
		{ "client_mid_prefix", &p->mid_prefix },
	};
	const struct json *sub = NULL;
	enum imp_rc rc = IMP_OK;

	p->present = true;
	p->shared_host = get_bool(o, "shared_host");
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]) && rc == IMP_OK; i++)
		rc = get_text(rd, o, text[i].key, text[i].ret);
	if (rc == IMP_OK && (p->run_id.n > PLAN_RUN_ID_MAX || (p->run_id.n > 0 && memchr(p->run_id.p, '\0', p->run_id.n) != NULL)))
		return refuse(rd, "`run_id` is longer than 255 bytes or has a NUL in it");
	if (rc == IMP_OK)
		rc = get_count(rd, o, "planned_accounts", &p->planned_accounts);
	if (rc == IMP_OK && (sub = json_get(o, "build")) != NULL)
		rc = get_text(rd, sub, "expected", &p->build_expected);
	if (rc == IMP_OK && sub != NULL)
		GET_TEXTS(rd, sub, "metrics_expected", &p->metrics, rc);
	if (rc == IMP_OK && (sub = json_get(o, "warmup")) != NULL) {
		rc = get_time(rd, sub, "start", &p->warmup_start);
		if (rc == IMP_OK)
			rc = get_time(rd, sub, "end", &p->warmup_end);
	}
	p->systems_given = json_get(o, "systems") != NULL;
	if (rc == IMP_OK)
		GET_TEXTS(rd, o, "systems", &p->systems, rc);
	if (rc == IMP_OK)
		GET_TEXTS(rd, o, "agents", &p->agents, rc);
	if (rc == IMP_OK)
		GET_TEXTS(rd, o, "pods_expected", &p->pods, rc);
	return rc == IMP_OK ? read_scenarios(rd, o) : rc;
}

static enum imp_rc
read_timeline(const struct reading *rd, const struct json *o)
{
	enum imp_rc rc = IMP_OK;

	for (int m = 0; m < _PLAN_MARK_MAX && rc == IMP_OK; m++)
		rc = get_time(rd, o, mark_names[m], &rd->plan->mark[m]);
	return rc;
}

enum imp_rc
plan_read(const struct inputs *in, struct plan *ret, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	*ret = (struct plan){
		.planned_accounts = PLAN_UNKNOWN,
		.warmup_start = PLAN_UNKNOWN,
		.warmup_end = PLAN_UNKNOWN,
	};
	for (int m = 0; m < _PLAN_MARK_MAX; m++)
		ret->mark[m] = PLAN_UNKNOWN;
	for (size_t i = 0; i < in->v.n && rc == IMP_OK; i++) {
		struct reading rd = { in->v.v[i].path, ret, err };
		CLEANUP(buf_done) struct buf text = BUF_INIT(PLAN_BYTES_MAX);
		CLEANUP(arena_done) struct arena arena = { .budget = NULL };
		struct json o;

		if (in->v.v[i].kind != INPUT_PLAN && in->v.v[i].kind != INPUT_TIMELINE)
			continue;
		rc = read_text(in, rd.path, &text, err);
		if (rc == IMP_OK)
			rc = read_object(&rd, (struct slice){ text.p, text.n - JSON_PADDING }, &arena, &o);
		if (rc == IMP_OK)
			rc = in->v.v[i].kind == INPUT_PLAN ? read_run(&rd, &o) : read_timeline(&rd, &o);
	}
	if (rc != IMP_OK)
		plan_done(ret);
	return rc;
}

void
plan_done(struct plan *p)
{
	VEC_FREE(NULL, &p->scenarios);
	VEC_FREE(NULL, &p->agents);
	VEC_FREE(NULL, &p->systems);
	VEC_FREE(NULL, &p->pods);
	VEC_FREE(NULL, &p->metrics);
	arena_done(&p->arena);
}
