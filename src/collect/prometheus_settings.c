#include "config.h"

#include "collect/prometheus.h"

#include "base/time.h"

#define STEP_NS (5 * NS_PER_S)
#define MARGIN_NS (600 * NS_PER_S)
#define TARGETS_MAX 1000
#define QUERIES_MAX 1000

static const char *const instance_keys[] = { "targets", "server", COLLECTOR_KEYS, NULL };
static const char *const target_keys[] = { "source", HTTP_TARGET_KEYS, NULL };
static const char *const server_keys[] = { "queries", "margin", HTTP_TARGET_KEYS, NULL };
static const char *const query_keys[] = { "name", "query", "step", "instant", NULL };

/* A list of 1 to `max` maps; room for them in the arena. */
static enum imp_rc
read_list(struct arena *arena, const struct doc_node *list, size_t max, size_t size, void **ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(list, DOC_LIST, err);

	if (rc != IMP_OK)
		return rc;
	if (list->n == 0 || list->n > max)
		return doc_error(&list->at, err, "1 to %zu entries are expected here", max);
	*ret = arena_alloc(arena, list->n * size, err);
	return *ret != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
need_text(struct arena *arena, const struct doc_node *map, const char *key, const char **ret, struct imp_err *err)
{
	const struct doc_node *n;
	enum imp_rc rc = doc_need(map, key, &n, err);

	return rc == IMP_OK ? setting_text(arena, n, NULL, ret, err) : rc;
}

/* Files are named by it, and series told apart. */
static enum imp_rc
need_name(struct arena *arena, const struct doc_node *map, const char *key, const char **ret, struct imp_err *err)
{
	const struct doc_node *n;
	enum imp_rc rc = doc_need(map, key, &n, err);

	return rc == IMP_OK ? setting_name(arena, n, NULL, ret, err) : rc;
}

/* Each of a list has its own. */
static enum imp_rc
check_new(const struct doc_node *list, const struct doc_node *map, const char *key, struct imp_err *err)
{
	const struct doc_node *name = doc_get(map, key);

	for (const struct doc_node *n = list->first; n != map; n = n->next)
		if (slice_eq(doc_get(n, key)->text, name->text))
			return doc_error(&name->at, err, "%s '%.*s' is there twice", key, SLICE_ARG(name->text));
	return IMP_OK;
}

static enum imp_rc
read_targets(struct arena *arena, const struct doc_node *list, struct prometheus_settings *s, struct imp_err *err)
{
	void *room = NULL;
	enum imp_rc rc = list != NULL ? read_list(arena, list, TARGETS_MAX, sizeof(*s->targets), &room, err) : IMP_OK;

	if (rc != IMP_OK || list == NULL)
		return rc;
	s->targets = room;
	for (const struct doc_node *map = list->first; map != NULL && rc == IMP_OK; map = map->next) {
		struct prometheus_scrape *t = &s->targets[s->ntargets];

		rc = doc_check_keys(map, target_keys, err);
		if (rc == IMP_OK)
			rc = need_name(arena, map, "source", &t->source, err);
		if (rc == IMP_OK)
			rc = check_new(list, map, "source", err);
		if (rc == IMP_OK)
			rc = http_target_read(arena, map, &t->at, err);
		if (rc == IMP_OK)
			s->ntargets++;
	}
	return rc;
}

static enum imp_rc
read_step(const struct doc_node *map, int64_t *ret_ms, struct imp_err *err)
{
	const struct doc_node *step = doc_get(map, "step");
	int64_t ns;
	bool instant;
	enum imp_rc rc = setting_bool(doc_get(map, "instant"), false, &instant, err);

	if (rc == IMP_OK)
		rc = setting_length(step, STEP_NS, &ns, err);
	if (rc != IMP_OK)
		return rc;
	if (instant && step != NULL)
		return doc_error(&step->at, err, "an instant query has no step");
	*ret_ms = instant ? 0 : ns / 1000000;
	return IMP_OK;
}

static enum imp_rc
read_queries(struct arena *arena, const struct doc_node *list, struct prometheus_settings *s, struct imp_err *err)
{
	void *room = NULL;
	enum imp_rc rc = read_list(arena, list, QUERIES_MAX, sizeof(*s->queries), &room, err);

	s->queries = room;
	for (const struct doc_node *map = list->first; map != NULL && rc == IMP_OK; map = map->next) {
		struct prometheus_query *q = &s->queries[s->nqueries];

		rc = doc_check_keys(map, query_keys, err);
		if (rc == IMP_OK)
			rc = need_name(arena, map, "name", &q->name, err);
		if (rc == IMP_OK)
			rc = check_new(list, map, "name", err);
		if (rc == IMP_OK)
			rc = need_text(arena, map, "query", &q->text, err);
		if (rc == IMP_OK)
			rc = read_step(map, &q->step_ms, err);
		if (rc == IMP_OK)
			s->nqueries++;
	}
	return rc;
}

static enum imp_rc
read_server(struct arena *arena, const struct doc_node *map, struct prometheus_settings *s, struct imp_err *err)
{
	const struct doc_node *queries, *url;
	enum imp_rc rc;

	if (map == NULL)
		return IMP_OK;
	rc = doc_check_keys(map, server_keys, err);
	if (rc == IMP_OK)
		rc = doc_need(map, "queries", &queries, err);
	if (rc == IMP_OK)
		rc = read_queries(arena, queries, s, err);
	if (rc == IMP_OK)
		rc = setting_length(doc_get(map, "margin"), MARGIN_NS, &s->margin_ns, err);
	if (rc == IMP_OK)
		rc = http_target_read(arena, map, &s->server, err);
	if (rc != IMP_OK)
		return rc;
	url = doc_get(map, "url");
	return strchr(s->server.url, '?') == NULL ? IMP_OK : doc_error(&url->at, err, "the address of a server has no query");
}

enum imp_rc
prometheus_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err)
{
	struct prometheus_settings *s = arena_alloc(arena, sizeof(*s), err);
	enum imp_rc rc;

	if (s == NULL)
		return IMP_E_NOMEM;
	s->source = source;
	s->limits = *limits;
	rc = doc_check_keys(map, instance_keys, err);
	if (rc == IMP_OK)
		rc = read_targets(arena, doc_get(map, "targets"), s, err);
	if (rc == IMP_OK)
		rc = read_server(arena, doc_get(map, "server"), s, err);
	if (rc == IMP_OK && s->ntargets == 0 && s->server.url == NULL)
		rc = doc_error(&map->at, err, "`targets`, `server` or both are needed");
	if (rc == IMP_OK)
		*ret_settings = s;
	else
		prometheus_forget(s);
	return rc;
}

void
prometheus_forget(void *settings)
{
	struct prometheus_settings *s = settings;

	if (s == NULL)
		return;
	for (size_t i = 0; i < s->ntargets; i++)
		http_target_done(&s->targets[i].at);
	http_target_done(&s->server);
}
