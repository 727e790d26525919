#include "config.h"

#include "agent/agent_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/doc.h"
#include "base/time.h"

#define MS (NS_PER_S / 1000)

static const char *const top_keys[] = { "format", "run_id", "server", "tenant", "api_key", "password", "login", "ca", "group",
	"mid_prefix", "agents", "entries", "scenarios", "systems", "shared_host", "connects", "reconnects", "threads",
	"message_bytes", "ack_timeout", "late", "history", "note_received", NULL };
static const char *const agent_keys[] = { "name", "prefix", "accounts", NULL };
static const char *const entry_keys[] = { "url", "pod", "agent", "from", "to", NULL };
static const char *const stream_keys[] = { "id", "kind", "shape", "from", "to", "messages", "start", "interval", "jitter", "drain",
	NULL };
static const char *const history_keys[] = { "queries", "deadline", NULL };
static const char *const dialects[] = { "tinode", "im-server", NULL };
static const char *const kinds[] = { "p2p", "group", NULL };
static const char *const shapes[] = { "steady", "burst", "ramp", NULL };

/* What agent.md gives for each kind. */
static const struct {
	uint64_t messages;
	int64_t interval_ns, jitter_ns, drain_ns;
} usual[_PLAN_KIND_MAX] = {
	[PLAN_P2P] = { 10, NS_PER_S, 200 * MS, 30 * NS_PER_S },
	[PLAN_GROUP] = { 2, 100 * MS, 0, 60 * NS_PER_S },
};

/* Names become parts of mids, files and accounts. */
static enum imp_rc
read_name(struct arena *arena, const struct doc_node *map, const char *key, const char *fallback, const char **ret,
    struct imp_err *err)
{
	const struct doc_node *n = doc_get(map, key);
	enum imp_rc rc = n == NULL && fallback == NULL ? doc_need(map, key, &n, err) : IMP_OK;

	return rc == IMP_OK ? setting_name(arena, n, fallback, ret, err) : rc;
}

static enum imp_rc
read_count(const struct doc_node *map, const char *key, uint64_t fallback, uint64_t lo, uint64_t hi, uint32_t *ret,
    struct imp_err *err)
{
	uint64_t v;
	enum imp_rc rc = setting_count(doc_get(map, key), fallback, lo, hi, &v, err);

	if (rc == IMP_OK)
		*ret = (uint32_t)v;
	return rc;
}

/* As setting_length(), and "0s" is one. */
static enum imp_rc
read_length(const struct doc_node *map, const char *key, int64_t fallback_ns, int64_t *ret, struct imp_err *err)
{
	const struct doc_node *n = doc_get(map, key);

	if (n != NULL && n->kind == DOC_SCALAR && (slice_eq(n->text, SLICE("0")) || slice_eq(n->text, SLICE("0s")))) {
		*ret = 0;
		return IMP_OK;
	}
	return setting_length(n, fallback_ns, ret, err);
}

static enum imp_rc
need_map(const struct doc_node *n, const char *const *keys, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_MAP, err);

	return rc == IMP_OK ? doc_check_keys(n, keys, err) : rc;
}

/* ------------------------------------------------------------------ parts */

static enum imp_rc
read_agents(struct agent_config *c, const struct doc_node *root, struct imp_err *err)
{
	const struct doc_node *list;
	struct plan_agent *v;
	enum imp_rc rc = doc_need(root, "agents", &list, err);

	if (rc == IMP_OK)
		rc = doc_is(list, DOC_LIST, err);
	v = rc == IMP_OK ? arena_alloc(&c->arena, list->n * sizeof(*v) + 1, err) : NULL;
	if (v == NULL)
		return rc != IMP_OK ? rc : IMP_E_NOMEM;
	c->plan.agents = v;
	for (const struct doc_node *n = list->first; n != NULL && rc == IMP_OK; n = n->next, v++) {
		rc = need_map(n, agent_keys, err);
		if (rc == IMP_OK)
			rc = read_name(&c->arena, n, "name", NULL, &v->name, err);
		if (rc == IMP_OK)
			rc = read_name(&c->arena, n, "prefix", v->name, &v->prefix, err);
		if (rc == IMP_OK)
			rc = read_count(n, "accounts", 0, 1, AGENT_PLAN_ACCOUNTS_MAX, &v->accounts, err);
		for (unsigned i = 0; i < c->plan.nagents && rc == IMP_OK; i++) {
			if (slice_eq(slice_of(c->plan.agents[i].name), slice_of(v->name)) ||
			    slice_eq(slice_of(c->plan.agents[i].prefix), slice_of(v->prefix)))
				rc = doc_error(&n->at, err, "two agents have one name, or one prefix of accounts");
		}
		c->plan.nagents++;
	}
	return rc;
}

static enum imp_rc
read_stream(struct agent_config *c, const struct doc_node *n, struct plan_stream *s, int64_t *ret_drain, struct imp_err *err)
{
	const struct doc_node *kind, *shape = doc_get(n, "shape");
	unsigned choice = 0;
	enum imp_rc rc = need_map(n, stream_keys, err);

	if (rc == IMP_OK)
		rc = read_name(&c->arena, n, "id", NULL, &s->id, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "kind", &kind, err);
	if (rc == IMP_OK)
		rc = doc_choice(kind, "kind", kinds, &choice, err);
	if (rc != IMP_OK)
		return rc;
	s->kind = (enum plan_kind)choice;
	if (shape != NULL && (rc = doc_choice(shape, "shape", shapes, &choice, err)) == IMP_OK)
		s->shape = (enum plan_shape)choice;
	if (rc == IMP_OK)
		rc = read_count(n, "from", 1, 1, AGENT_PLAN_ACCOUNTS_MAX, &s->first, err);
	if (rc == IMP_OK)
		rc = read_count(n, "to", c->plan.agents[0].accounts, 1, AGENT_PLAN_ACCOUNTS_MAX, &s->last, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(n, "messages"), usual[s->kind].messages, 1, AGENT_PLAN_MESSAGES_MAX, &s->turns, err);
	if (rc == IMP_OK)
		rc = read_length(n, "start", 0, &s->begin_ns, err);
	if (rc == IMP_OK)
		rc = read_length(n, "interval", usual[s->kind].interval_ns, &s->interval_ns, err);
	if (rc == IMP_OK)
		rc = read_length(n, "jitter", usual[s->kind].jitter_ns < s->interval_ns ? usual[s->kind].jitter_ns : 0,
		    &s->jitter_ns, err);
	if (rc == IMP_OK)
		rc = read_length(n, "drain", usual[s->kind].drain_ns, ret_drain, err);
	return rc;
}

static enum imp_rc
read_streams(struct agent_config *c, const struct doc_node *root, struct imp_err *err)
{
	const struct doc_node *list;
	struct plan_stream *v;
	enum imp_rc rc = doc_need(root, "scenarios", &list, err);

	if (rc == IMP_OK)
		rc = doc_is(list, DOC_LIST, err);
	if (rc == IMP_OK && (list->n == 0 || list->n > AGENT_PLAN_STREAMS_MAX))
		rc = doc_error(&list->at, err, "1 to %d scenarios", AGENT_PLAN_STREAMS_MAX);
	if (rc != IMP_OK)
		return rc;
	v = arena_alloc(&c->arena, list->n * sizeof(*v), err);
	if (v == NULL)
		return IMP_E_NOMEM;
	c->plan.streams = v;
	for (const struct doc_node *n = list->first; n != NULL && rc == IMP_OK; n = n->next) {
		rc = read_stream(c, n, &v[c->plan.nstreams], &c->drain_ns[c->plan.nstreams], err);
		for (unsigned i = 0; i < c->plan.nstreams && rc == IMP_OK; i++) {
			if (slice_eq(slice_of(v[i].id), slice_of(v[c->plan.nstreams].id)))
				rc = doc_error(&n->at, err, "two scenarios have one id");
		}
		if (rc == IMP_OK && v[c->plan.nstreams].kind == PLAN_P2P && c->plan.nagents % 2 != 0)
			rc = doc_error(&n->at, err,
			    "p2p pairs the accounts of one half of the agents with the other: their number must be even");
		c->plan.nstreams++;
	}
	return rc;
}

/* ws://host[:port][/path] */
static enum imp_rc
read_url(struct arena *arena, const struct doc_node *n, struct agent_entry *e, struct imp_err *err)
{
	struct slice rest = slice_of(e->url), host, path, port = { NULL, 0 };
	const char *slash, *colon;
	unsigned long number;

	e->tls = slice_has_prefix(rest, SLICE("wss://"));
	if (!e->tls && !slice_has_prefix(rest, SLICE("ws://")))
		return doc_error(&n->at, err, "an entry is ws://HOST:PORT/PATH or wss://...");
	rest.p += e->tls ? 6 : 5;
	rest.n -= e->tls ? 6 : 5;
	slash = memchr(rest.p, '/', rest.n);
	host = (struct slice){ rest.p, slash != NULL ? (size_t)(slash - rest.p) : rest.n };
	path = slash != NULL ? (struct slice){ slash, rest.n - host.n } : SLICE("/v0/channels");
	colon = memrchr(host.p, ':', host.n);
	if (colon != NULL && memchr(host.p, ']', host.n) < (const void *)colon) {
		port = (struct slice){ colon + 1, (size_t)(host.p + host.n - colon) - 1 };
		host.n = (size_t)(colon - host.p);
	}
	number = port.p != NULL ? strtoul(port.p, NULL, 10) : (e->tls ? 443 : 80);
	if (host.n == 0 || number == 0 || number > 65535 || memchr(host.p, '@', host.n) != NULL || strchr(e->url, '?') != NULL)
		return doc_error(&n->at, err, "an entry is ws://HOST:PORT/PATH, without user, password and query");
	e->port = (unsigned)number;
	e->host = arena_slice(arena, host, err).p;
	e->path = e->host != NULL ? arena_slice(arena, path, err).p : NULL;
	return e->path != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
read_entries(struct agent_config *c, const struct doc_node *root, struct imp_err *err)
{
	const struct doc_node *list, *url;
	uint32_t agent;
	enum imp_rc rc = doc_need(root, "entries", &list, err);

	if (rc == IMP_OK)
		rc = doc_is(list, DOC_LIST, err);
	if (rc == IMP_OK && (list->n == 0 || list->n > AGENT_ENTRIES_MAX))
		rc = doc_error(&list->at, err, "1 to %d entries", AGENT_ENTRIES_MAX);
	if (rc == IMP_OK && (c->entries = arena_alloc(&c->arena, list->n * sizeof(*c->entries), err)) == NULL)
		rc = IMP_E_NOMEM;
	for (const struct doc_node *n = rc == IMP_OK ? list->first : NULL; n != NULL && rc == IMP_OK; n = n->next) {
		struct agent_entry *e = &c->entries[c->nentries++];

		rc = need_map(n, entry_keys, err);
		if (rc == IMP_OK)
			rc = doc_need(n, "url", &url, err);
		if (rc == IMP_OK)
			rc = setting_text(&c->arena, url, NULL, &e->url, err);
		if (rc == IMP_OK)
			rc = read_url(&c->arena, url, e, err);
		if (rc == IMP_OK)
			rc = setting_text(&c->arena, doc_get(n, "pod"), NULL, &e->pod, err);
		if (rc == IMP_OK)
			rc = setting_text(&c->arena, doc_get(n, "agent"), NULL, &e->agent, err);
		if (rc == IMP_OK && e->agent != NULL && !agent_config_agent(c, e->agent, &agent))
			rc = doc_error(&n->at, err, "there is no agent '%s'", e->agent);
		if (rc == IMP_OK)
			rc = read_count(n, "from", 1, 1, AGENT_PLAN_ACCOUNTS_MAX, &e->first, err);
		if (rc == IMP_OK)
			rc = read_count(n, "to", AGENT_PLAN_ACCOUNTS_MAX, e->first, AGENT_PLAN_ACCOUNTS_MAX, &e->last, err);
	}
	return rc;
}

static enum imp_rc
read_systems(struct agent_config *c, const struct doc_node *n, struct imp_err *err)
{
	enum imp_rc rc = n != NULL ? doc_is(n, DOC_LIST, err) : IMP_OK;
	size_t i = 0;

	if (n == NULL || rc != IMP_OK)
		return rc;
	c->systems = arena_alloc(&c->arena, (n->n + 1) * sizeof(*c->systems), err);
	if (c->systems == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *item = n->first; item != NULL && rc == IMP_OK; item = item->next)
		rc = setting_text(&c->arena, item, NULL, &c->systems[i++], err);
	return rc;
}

/* ------------------------------------------------------------------ the file */

static enum imp_rc
read_run(struct agent_config *c, const struct doc_node *root, const char *run_id, struct imp_err *err)
{
	const struct doc_node *format, *server = doc_get(root, "server");
	CLEANUP(buf_done) struct buf prefix = BUF_INIT(1024);
	unsigned dialect = DIALECT_IM_SERVER;
	uint64_t number;
	enum imp_rc rc = doc_need(root, "format", &format, err);

	if (rc == IMP_OK)
		rc = setting_count(format, 1, 1, 1, &number, err);
	if (rc == IMP_OK && run_id != NULL) {
		c->plan.run_id = arena_slice(&c->arena, slice_of(run_id), err).p;
		rc = c->plan.run_id != NULL ? IMP_OK : IMP_E_NOMEM;
	} else if (rc == IMP_OK) {
		rc = read_name(&c->arena, root, "run_id", NULL, &c->plan.run_id, err);
	}
	if (rc == IMP_OK && server != NULL)
		rc = doc_choice(server, "server", dialects, &dialect, err);
	c->dialect = (enum wire_dialect)dialect;
	if (rc != IMP_OK)
		return rc;
	buf_addf(&prefix, "lt-%s-", c->plan.run_id);
	rc = buf_status(&prefix, err);
	if (rc == IMP_OK)
		rc = setting_text(&c->arena, doc_get(root, "mid_prefix"), prefix.p, &c->plan.mid_prefix, err);
	if (rc == IMP_OK && c->plan.mid_prefix == prefix.p) {
		c->plan.mid_prefix = arena_slice(&c->arena, buf_slice(&prefix), err).p;
		rc = c->plan.mid_prefix != NULL ? IMP_OK : IMP_E_NOMEM;
	}
	return rc;
}

static enum imp_rc
read_limits(struct agent_config *c, const struct doc_node *root, struct imp_err *err)
{
	const struct doc_node *history = doc_get(root, "history");
	enum imp_rc rc = history != NULL ? need_map(history, history_keys, err) : IMP_OK;

	if (rc == IMP_OK)
		rc = setting_count(doc_get(root, "connects"), 64, 1, 256, &c->connects, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(root, "reconnects"), 16, 0, 256, &c->reconnects, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(root, "threads"), 1, 1, 64, &c->threads, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(root, "message_bytes"), 0, 0, 65536, &c->message_bytes, err);
	if (rc == IMP_OK)
		rc = setting_length(doc_get(root, "ack_timeout"), 10 * NS_PER_S, &c->ack_timeout_ns, err);
	if (rc == IMP_OK)
		rc = setting_length(doc_get(root, "late"), NS_PER_S, &c->late_ns, err);
	if (rc == IMP_OK)
		rc = setting_count(history != NULL ? doc_get(history, "queries") : NULL, 32, 1, 64, &c->history_queries, err);
	if (rc == IMP_OK)
		rc = setting_length(history != NULL ? doc_get(history, "deadline") : NULL, 180 * NS_PER_S, &c->history_deadline_ns,
		    err);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(root, "note_received"), false, &c->note_received, err);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(root, "shared_host"), false, &c->shared_host, err);
	return rc;
}

static enum imp_rc
read_root(struct agent_config *c, const struct doc_node *root, const char *run_id, struct imp_err *err)
{
	enum imp_rc rc = need_map(root, top_keys, err);

	if (rc == IMP_OK)
		rc = read_run(c, root, run_id, err);
	if (rc == IMP_OK)
		rc = setting_text(&c->arena, doc_get(root, "tenant"), NULL, &c->tenant, err);
	if (rc == IMP_OK)
		rc = setting_text(&c->arena, doc_get(root, "login"), "", &c->login, err);
	if (rc == IMP_OK)
		rc = setting_text(&c->arena, doc_get(root, "ca"), NULL, &c->ca, err);
	if (rc == IMP_OK)
		rc = setting_text(&c->arena, doc_get(root, "group"), NULL, &c->group, err);
	if (rc == IMP_OK)
		rc = read_agents(c, root, err);
	if (rc == IMP_OK)
		rc = read_entries(c, root, err);
	if (rc == IMP_OK)
		rc = read_streams(c, root, err);
	if (rc == IMP_OK)
		rc = read_systems(c, doc_get(root, "systems"), err);
	if (rc == IMP_OK)
		rc = read_limits(c, root, err);
	if (rc == IMP_OK)
		rc = secret_read(doc_get(root, "api_key"), &c->api_key, err);
	if (rc == IMP_OK)
		rc = secret_read(doc_get(root, "password"), &c->password, err);
	return rc;
}

static enum imp_rc
read_file(const char *path, struct buf *out, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[16384];
	ssize_t n;

	if (fd < 0)
		return imp_err_errno(err, IMP_E_NOINPUT, errno, "could not open the configuration '%s'", path);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(out, chunk, (size_t)n);
	return n < 0 ? imp_err_errno(err, IMP_E_IO, errno, "could not read '%s'", path) : buf_status(out, err);
}

enum imp_rc
agent_config_read(const char *path, const char *run_id, struct agent_config **ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(DOC_BYTES_MAX);
	CLEANUP(agent_config_done) struct agent_config *c = calloc(1, sizeof(*c));
	struct doc_node *root;
	struct slice name;
	enum imp_rc rc;

	if (c == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: a configuration");
	rc = read_file(path, &text, err);
	name = rc == IMP_OK ? arena_slice(&c->arena, slice_of(path), err) : SLICE("");
	if (rc == IMP_OK && name.p == NULL)
		rc = IMP_E_NOMEM;
	if (rc == IMP_OK)
		rc = doc_parse(&c->arena, name.p, buf_slice(&text), &root, err);
	if (rc == IMP_OK)
		rc = read_root(c, root, run_id, err);
	if (rc == IMP_OK)
		*ret = TAKE(c);
	return rc;
}

void
agent_config_close(struct agent_config *c)
{
	if (c == NULL)
		return;
	secret_done(&c->api_key);
	secret_done(&c->password);
	arena_done(&c->arena);
	free(c);
}

void
agent_config_done(struct agent_config **c)
{
	agent_config_close(*c);
}

bool
agent_config_agent(const struct agent_config *c, const char *name, uint32_t *ret)
{
	for (uint32_t i = 0; i < c->plan.nagents; i++) {
		if (slice_eq(slice_of(c->plan.agents[i].name), slice_of(name))) {
			*ret = i;
			return true;
		}
	}
	return false;
}

const struct agent_entry *
agent_config_entry(const struct agent_config *c, uint32_t agent, uint32_t account)
{
	for (unsigned i = 0; i < c->nentries; i++) {
		const struct agent_entry *e = &c->entries[i];

		if ((e->agent == NULL || slice_eq(slice_of(e->agent), slice_of(c->plan.agents[agent].name))) &&
		    account >= e->first && account <= e->last)
			return e;
	}
	return NULL;
}
