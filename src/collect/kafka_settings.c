#include "config.h"

#include "collect/kafka.h"

#include "base/cleanup.h"
#include "base/time.h"

#define MARGIN_DEFAULT_NS (10 * 60 * NS_PER_S) /* clocks of brokers and agents may differ */
#define RECORDS_DEFAULT 1000000
#define RECORDS_MAX 100000000
#define LIST_MAX 1000 /* groups, topics, properties */

static const char *const instance_keys[] = { "bootstrap", "properties", "groups", "members", "dead_letters", COLLECTOR_KEYS, NULL };
static const char *const group_keys[] = { "group", "topics", NULL };
static const char *const letters_keys[] = { "topic", "from", "margin", "records_max", "mid", "error", "code", "message_topic",
	"state", NULL };

/* What reads one element of a list, or one member of a map. */
typedef enum imp_rc (*read_fn)(struct arena *arena, const struct doc_node *n, void *element, struct imp_err *err);

/* Read `list` (NULL: nothing) into a new array of elements of `size` bytes. *ret_n counts those that were begun, also on failure. */
static enum imp_rc
read_list(struct arena *arena, const struct doc_node *list, enum doc_kind kind, size_t size, read_fn read, void *ret, size_t *ret_n,
    struct imp_err *err)
{
	enum imp_rc rc = list != NULL ? doc_is(list, kind, err) : IMP_OK;
	char *v;

	if (rc != IMP_OK || list == NULL)
		return rc;
	if (list->n > LIST_MAX)
		return doc_error(&list->at, err, "more than %d entries", LIST_MAX);
	v = arena_alloc(arena, list->n * size + 1, err);
	if (v == NULL)
		return IMP_E_NOMEM;
	*(void **)ret = v;
	for (const struct doc_node *n = list->first; rc == IMP_OK && n != NULL; n = n->next)
		rc = read(arena, n, v + (*ret_n)++ * size, err);
	return rc;
}

/* ------------------------------------------------------------------ properties */

/* Set by the program: with others it would join groups, commit, make topics, load code or not see the end of a partition. */
static const char *const kept[] = { "bootstrap.servers", "metadata.broker.list", "group.id", "group.instance.id",
	"enable.auto.commit", "auto.commit.enable", "enable.auto.offset.store", "auto.offset.reset", "allow.auto.create.topics",
	"enable.partition.eof", "isolation.level", "log.queue", "plugin.library.paths", "interceptors", NULL };

static const char *const secrets[] = { "sasl.password", "ssl.key.password", "ssl.key.pem", "ssl.keystore.password",
	"sasl.oauthbearer.client.secret", "sasl.oauthbearer.config", NULL };

static bool
is_in(struct slice name, const char *const *names)
{
	while (*names != NULL && !slice_eq(name, slice_of(*names)))
		names++;
	return *names != NULL;
}

/* What librdkafka says of the value; of a secret, only that it does not like it. */
static enum imp_rc
check_property(const struct doc_node *n, const struct kafka_property *p, struct imp_err *err)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char why[256] = "";
	rd_kafka_conf_res_t result = rd_kafka_conf_set(conf, p->name, p->text != NULL ? p->text : p->secret.p, why, sizeof(why));

	rd_kafka_conf_destroy(conf);
	if (result == RD_KAFKA_CONF_OK)
		return IMP_OK;
	if (result == RD_KAFKA_CONF_UNKNOWN || p->text == NULL)
		return doc_error(&n->key_at, err, "librdkafka %s '%s'",
		    result == RD_KAFKA_CONF_UNKNOWN ? "has no property" : "does not take this value for", p->name);
	return doc_error(&n->at, err, "%s", why);
}

static enum imp_rc
read_property(struct arena *arena, const struct doc_node *n, void *element, struct imp_err *err)
{
	struct kafka_property *p = element;
	enum imp_rc rc;

	p->name = arena_slice(arena, n->key, err).p;
	if (p->name == NULL)
		return IMP_E_NOMEM;
	if (is_in(n->key, kept))
		return doc_error(&n->key_at, err, "'%s' is set by the program", p->name);
	if (n->kind != DOC_MAP && is_in(n->key, secrets))
		return doc_error(&n->at, err, "'%s' is a secret: give it as {env: NAME} or {file: PATH}", p->name);
	rc = n->kind == DOC_MAP ? secret_read(n, &p->secret, err) : setting_text(arena, n, NULL, &p->text, err);
	return rc == IMP_OK ? check_property(n, p, err) : rc;
}

/* ------------------------------------------------------------------ groups */

static enum imp_rc
read_topic(struct arena *arena, const struct doc_node *n, void *element, struct imp_err *err)
{
	return setting_text(arena, n, NULL, element, err);
}

static enum imp_rc
read_group(struct arena *arena, const struct doc_node *n, void *element, struct imp_err *err)
{
	struct kafka_group *g = element;
	const struct doc_node *name;
	enum imp_rc rc = doc_is(n, DOC_MAP, err);

	if (rc == IMP_OK)
		rc = doc_check_keys(n, group_keys, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "group", &name, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, name, NULL, &g->name, err);
	if (rc == IMP_OK)
		rc = read_list(arena, doc_get(n, "topics"), DOC_LIST, sizeof(*g->topics), read_topic, &g->topics, &g->ntopics, err);
	return rc;
}

/* librdkafka takes no name twice in one request. */
static enum imp_rc
check_groups(const struct doc_node *list, const struct kafka_settings *s, struct imp_err *err)
{
	for (size_t i = 0; i < s->ngroups; i++) {
		const struct kafka_group *g = &s->groups[i];

		for (size_t k = 0; k < i; k++)
			if (strcmp(g->name, s->groups[k].name) == 0)
				return doc_error(&list->at, err, "group '%s' stands there twice", g->name);
		for (size_t k = 0; k < g->ntopics; k++)
			for (size_t m = 0; m < k; m++)
				if (strcmp(g->topics[k], g->topics[m]) == 0)
					return doc_error(&list->at, err, "topic '%s' of group '%s' stands there twice",
					    g->topics[k], g->name);
	}
	return IMP_OK;
}

/* ------------------------------------------------------------------ dead letters */

static enum imp_rc
read_from(struct arena *arena, const struct doc_node *n, struct kafka_letters *l, struct imp_err *err)
{
	static const char *const names[] = { "run", "start", NULL };
	const struct doc_node *from = doc_get(n, "from"), *topic;
	unsigned which = 0;
	enum imp_rc rc = doc_need(n, "topic", &topic, err);

	if (rc == IMP_OK)
		rc = setting_text(arena, topic, NULL, &l->topic, err);
	if (rc == IMP_OK && from != NULL)
		rc = doc_choice(from, "place to read from", names, &which, err);
	if (rc == IMP_OK)
		rc = setting_length(doc_get(n, "margin"), MARGIN_DEFAULT_NS, &l->margin_ns, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(n, "records_max"), RECORDS_DEFAULT, 1, RECORDS_MAX, &l->records_max, err);
	l->from_start = which == 1;
	return rc;
}

static enum imp_rc
read_letters(struct arena *arena, const struct doc_node *n, void *element, struct imp_err *err)
{
	struct kafka_letters *l = element;
	const struct doc_node *mid, *state = doc_get(n, "state");
	enum imp_rc rc = doc_is(n, DOC_MAP, err);

	if (rc == IMP_OK)
		rc = doc_check_keys(n, letters_keys, err);
	if (rc == IMP_OK)
		rc = read_from(arena, n, l, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "mid", &mid, err);
	if (rc == IMP_OK)
		rc = kafka_field_read(arena, mid, NULL, &l->mid, err);
	if (rc == IMP_OK)
		rc = kafka_field_read(arena, doc_get(n, "error"), NULL, &l->error, err);
	if (rc == IMP_OK)
		rc = kafka_field_read(arena, doc_get(n, "code"), NULL, &l->code, err);
	if (rc == IMP_OK)
		rc = kafka_field_read(arena, doc_get(n, "message_topic"), NULL, &l->message_topic, err);
	if (rc == IMP_OK)
		rc = kafka_field_read(arena, state, "replayed", &l->state, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, state != NULL ? doc_get(state, "replayed") : NULL, "replayed", &l->replayed, err);
	return rc;
}

/* ------------------------------------------------------------------ an instance */

enum imp_rc
kafka_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err)
{
	struct kafka_settings *s = arena_alloc(arena, sizeof(*s), err);
	const struct doc_node *bootstrap;
	enum imp_rc rc;

	if (s == NULL)
		return IMP_E_NOMEM;
	s->source = source;
	s->limits = *limits;
	rc = doc_check_keys(map, instance_keys, err);
	if (rc == IMP_OK)
		rc = doc_need(map, "bootstrap", &bootstrap, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, bootstrap, NULL, &s->bootstrap, err);
	if (rc == IMP_OK)
		rc = read_list(arena, doc_get(map, "groups"), DOC_LIST, sizeof(*s->groups), read_group, &s->groups, &s->ngroups,
		    err);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(map, "members"), true, &s->members, err);
	if (rc == IMP_OK)
		rc = check_groups(doc_get(map, "groups"), s, err);
	if (rc == IMP_OK)
		rc = read_list(arena, doc_get(map, "dead_letters"), DOC_LIST, sizeof(*s->letters), read_letters, &s->letters,
		    &s->nletters, err);
	if (rc == IMP_OK)
		rc = read_list(arena, doc_get(map, "properties"), DOC_MAP, sizeof(*s->properties), read_property, &s->properties,
		    &s->nproperties, err);
	if (rc != IMP_OK) {
		kafka_forget(s);
		return rc;
	}
	*ret_settings = s;
	return IMP_OK;
}

void
kafka_forget(void *settings)
{
	struct kafka_settings *s = settings;

	for (size_t i = 0; s != NULL && i < s->nproperties; i++)
		secret_done(&s->properties[i].secret);
	for (size_t i = 0; s != NULL && i < s->nletters; i++) {
		struct kafka_field *fields[] = { &s->letters[i].mid, &s->letters[i].error, &s->letters[i].code,
			&s->letters[i].message_topic, &s->letters[i].state };

		for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
			kafka_field_done(fields[k]);
	}
}
