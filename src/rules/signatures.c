#include "config.h"

#include "base/cleanup.h"
#include "base/sha256.h"
#include "ingest/source.h"
#include "rules/fields.h"
#include "rules/rule.h"

const char *const signature_effect_names[] = { "lost_silent", "told_client", "delayed", "false_ack", "info", NULL };

static const char *const match_keys[] = { "re", "on", NULL };
static const char *const match_parts[] = { "body", NULL }; /* an event without what the runtime put before it */

static enum imp_rc
parse_match(const struct doc_node *n, struct slice *ret, struct imp_err *err)
{
	const struct doc_node *re, *on = doc_get(n, "on");
	unsigned part;
	enum imp_rc rc = doc_check_keys(n, match_keys, err);

	if (rc == IMP_OK && on != NULL)
		rc = doc_choice(on, "part of a line", match_parts, &part, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "re", &re, err);
	return rc == IMP_OK ? field_regex(re, ret, err) : rc;
}

static enum imp_rc
parse_matches(struct arena *a, const struct doc_node *list, struct log_pattern *p, struct imp_err *err)
{
	enum imp_rc rc = doc_is(list, DOC_LIST, err);

	if (rc == IMP_OK && list->n == 0)
		rc = doc_error(&list->at, err, "an empty list");
	p->res = rc == IMP_OK ? arena_alloc(a, list->n * sizeof(*p->res), err) : NULL;
	if (rc == IMP_OK && p->res == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *c = list->first; c != NULL && rc == IMP_OK; c = c->next)
		rc = parse_match(c, &p->res[p->nres++], err);
	return rc;
}

static enum imp_rc
parse_also(struct arena *a, const struct doc_node *list, struct log_pattern *p, struct imp_err *err)
{
	enum imp_rc rc = list != NULL ? doc_is(list, DOC_LIST, err) : IMP_OK;

	if (list == NULL || rc != IMP_OK)
		return rc;
	p->also = arena_alloc(a, (list->n + 1) * sizeof(*p->also), err);
	if (p->also == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *c = list->first; c != NULL && rc == IMP_OK; c = c->next)
		rc = field_id(c, &p->also[p->nalso++], err);
	return rc;
}

enum imp_rc
signature_parse(struct arena *a, const struct doc_node *n, struct rule *r, struct imp_err *err)
{
	const struct doc_node *match, *effect, *server = doc_get(n, "server"), *profile = doc_get(n, "profile");
	struct log_pattern p = { 0 };
	unsigned i;
	enum imp_rc rc = doc_need(n, "match", &match, err);

	if (rc == IMP_OK)
		rc = parse_matches(a, match, &p, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "effect", &effect, err);
	if (rc == IMP_OK)
		rc = doc_choice(effect, "effect", signature_effect_names, &i, err);
	p.effect = i;
	if (rc == IMP_OK && server != NULL && profile != NULL)
		rc = doc_error(&profile->key_at, err, "'profile' is another word for 'server'");
	if (rc == IMP_OK)
		rc = field_bits_or_one(server != NULL ? server : profile, "server", rule_server_names, &r->applies.servers, err);
	if (rc == IMP_OK)
		rc = parse_also(a, doc_get(n, "also"), &p, err);
	if (rc == IMP_OK)
		r->log = p;
	return rc;
}

/* The digest is over every id and expression with a NUL behind it. */
static enum imp_rc
digest(const struct signature_set *set, char *ret_hex, struct imp_err *err)
{
	CLEANUP(sha256_done) struct sha256 hash = { .context = NULL };
	unsigned char sum[SHA256_BYTES];
	enum imp_rc rc = sha256_begin(&hash, err);

	if (rc != IMP_OK)
		return rc;
	for (size_t i = 0; i < set->n; i++) {
		sha256_add(&hash, set->v[i].id.p, set->v[i].id.n);
		sha256_add(&hash, "", 1);
		sha256_add(&hash, set->v[i].re.p, set->v[i].re.n);
		sha256_add(&hash, "", 1);
	}
	rc = sha256_end(&hash, sum, err);
	if (rc == IMP_OK)
		source_hex(sum, ret_hex);
	return rc;
}

enum imp_rc
signatures_collect(struct ruleset *rs, struct imp_err *err)
{
	struct signature *v;
	size_t n = 0;

	for (size_t i = 0; i < rs->rules.n; i++)
		n += rs->rules.v[i]->log.nres;
	if (n > SIGNATURES_MAX)
		return imp_err_set(err, IMP_E_RULE, "the rules have %zu expressions for logs, at most %d are possible", n,
		    SIGNATURES_MAX);
	v = arena_alloc(&rs->arena, (n + 1) * sizeof(*v), err);
	if (v == NULL)
		return IMP_E_NOMEM;
	rs->signatures = (struct signature_set){ .v = v };
	for (size_t i = 0; i < rs->rules.n; i++) {
		const struct rule *r = rs->rules.v[i];

		for (size_t k = 0; k < r->log.nres; k++)
			v[rs->signatures.n++] = (struct signature){ r->id, r->log.res[k] };
	}
	return digest(&rs->signatures, rs->signatures.digest, err);
}

void
rules_signatures(const struct ruleset *rs, struct signature_set *ret)
{
	*ret = rs->signatures;
}
