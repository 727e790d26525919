#include "config.h"

#include "report/json.h"

void
json_verdict(struct jsonw *w, const struct verdict *v)
{
	jsonw_key(w, "verdict");
	jsonw_flat_object(w);
	jsonw_key(w, "result");
	jsonw_str(w, verdict_result_name(v->result));
	json_int(w, "exit_code", v->exit_code);
	jsonw_key(w, "reasons");
	jsonw_array(w);
	for (size_t i = 0; i < v->nreasons; i++)
		jsonw_text(w, v->reasons[i]);
	jsonw_end(w);
	json_text(w, "profile", v->profile);
	jsonw_end(w);
}

static void
put_evidence(struct jsonw *w, const struct rule_verdict *rule)
{
	jsonw_key(w, "evidence");
	jsonw_array(w);
	for (size_t i = 0; i < rule->nevidence; i++) {
		jsonw_flat_object(w);
		json_place(w, rule->evidence[i].file, rule->evidence[i].sha256, rule->evidence[i].line);
		json_text(w, "query", rule->evidence[i].query);
		jsonw_end(w);
	}
	jsonw_end(w);
	json_int(w, "evidence_total", (int64_t)rule->evidence_total);
}

static void
put_conditions(struct jsonw *w, const struct rule_verdict *rule)
{
	jsonw_key(w, "conditions");
	jsonw_array(w);
	for (size_t i = 0; i < rule->nconditions; i++) {
		const struct condition_result *c = &rule->conditions[i];

		jsonw_flat_object(w);
		json_text(w, "name", c->name);
		jsonw_key(w, "result");
		jsonw_str(w, rule_result_name(c->result));
		jsonw_key(w, "value");
		jsonw_number(w, c->value_json);
		json_text(w, "measured", c->value);
		json_text(w, "threshold", c->threshold);
		if (c->threshold_was.n > 0)
			json_text(w, "threshold_was", c->threshold_was);
		jsonw_end(w);
	}
	jsonw_end(w);
}

/* A waiver changes what follows from a result, not the result: `result` is what the rule found. */
static void
put_rule(struct jsonw *w, const struct rule_verdict *rule)
{
	jsonw_object(w);
	json_text(w, "id", rule->id);
	jsonw_key(w, "result");
	jsonw_str(w, rule_result_name(rule->unwaived));
	jsonw_key(w, "value");
	jsonw_number(w, rule->value_json);
	jsonw_key(w, "threshold");
	jsonw_text(w, rule->threshold);
	jsonw_key(w, "why");
	jsonw_text(w, rule->why.p != NULL ? rule->why : SLICE(""));
	put_evidence(w, rule);
	json_text(w, "measured", rule->value);
	json_text(w, "reason", slice_of(rule_reason_name(rule->reason)));
	jsonw_key(w, "missing");
	jsonw_flat_array(w);
	for (size_t i = 0; rule->missing != NULL && rule->missing[i] != NULL; i++)
		jsonw_str(w, rule->missing[i]);
	jsonw_end(w);
	json_bool(w, "warning", rule->warning);
	json_rule_text(w, "title", rule->title);
	json_rule_text(w, "fix", rule->fix);
	if (rule->waived_until.n > 0) {
		jsonw_key(w, "waived");
		jsonw_flat_object(w);
		json_text(w, "until", rule->waived_until);
		json_text(w, "why", rule->waived_why);
		jsonw_end(w);
	}
	put_conditions(w, rule);
	jsonw_end(w);
}

void
json_rules(struct jsonw *w, const char *key, const struct rule_verdict *rules, size_t n, enum json_which which)
{
	jsonw_key(w, key);
	jsonw_array(w);
	for (size_t i = 0; i < n; i++)
		if (which == JSON_ALL || rules[i].validity == (which == JSON_VALIDITY))
			put_rule(w, &rules[i]);
	jsonw_end(w);
}

void
json_trust(struct jsonw *w, const struct verdict *v)
{
	jsonw_key(w, "trust");
	jsonw_object(w);
	jsonw_key(w, "result");
	jsonw_str(w, trust_result_name(v->trust));
	jsonw_key(w, "reasons");
	jsonw_flat_array(w);
	for (size_t i = 0; i < v->ntrust_reasons; i++)
		jsonw_text(w, v->trust_reasons[i]);
	jsonw_end(w);
	json_rules(w, "rules", v->trust_rules, v->ntrust_rules, JSON_ALL);
	jsonw_end(w);
}
