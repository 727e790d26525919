#include "config.h"

#include "collect/kube_list.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/redact.h"

#define DEPTH_MAX 64
#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

static void
put_json(struct json_object **o)
{
	json_object_put(*o);
}

static struct json_object *
member(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	return json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, key, &v) ? v : NULL;
}

/* Empty for what is no text. */
static struct slice
text_of(struct json_object *v)
{
	if (!json_object_is_type(v, json_type_string))
		return SLICE("");
	return (struct slice){ json_object_get_string(v), (size_t)json_object_get_string_len(v) };
}

/* NULL with `err` set. */
static struct json_object *
parse(struct slice text, struct imp_err *err)
{
	struct json_tokener *tok = text.n > 0 && text.n <= INT32_MAX ? json_tokener_new_ex(DEPTH_MAX) : NULL;
	struct json_object *o = NULL;

	if (tok != NULL) {
		json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
		o = json_tokener_parse_ex(tok, text.p, (int)text.n);
		json_tokener_free(tok);
	}
	if (o == NULL)
		imp_err_set(err, IMP_E_DATA, "not JSON, or nested too deep");
	return o;
}

/* ------------------------------------------------------------------ secrets */

static bool clean(struct json_object *v);

/* The text without its secrets; false: no memory. */
static bool
clean_text(struct json_object *v)
{
	struct slice text = text_of(v);
	CLEANUP(buf_done) struct buf out = BUF_INIT(KUBE_LIST_BYTES_MAX);

	redact_add(&out, text);
	if (out.failed != IMP_OK)
		return false;
	return slice_eq(buf_slice(&out), text) || json_object_set_string_len(v, out.p != NULL ? out.p : "", (int)out.n) == 1;
}

/* `command`, `args`: the word behind an option that names a secret goes too. */
static bool
clean_words(struct json_object *list)
{
	for (size_t i = 0; i + 1 < json_object_array_length(list); i++) {
		struct json_object *next = json_object_array_get_idx(list, i + 1);

		if (redact_hides_next(text_of(json_object_array_get_idx(list, i))) && json_object_is_type(next, json_type_string) &&
		    json_object_set_string(next, "[redacted]") != 1)
			return false;
	}
	return true;
}

/* `env`, `httpHeaders`: lists of a name and its value. */
static void
drop_values(struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *pair = json_object_array_get_idx(list, i);

		if (json_object_is_type(pair, json_type_object))
			json_object_object_del(pair, "value");
	}
}

static bool
clean_object(struct json_object *o)
{
	static const char *const valued[] = { "env", "httpHeaders" }, *const worded[] = { "command", "args" };
	struct json_object *v;

	json_object_object_del(o, "managedFields");
	json_object_object_del(o, LAST_APPLIED);
	for (size_t i = 0; i < 2; i++) {
		v = member(o, valued[i]);
		if (json_object_is_type(v, json_type_array))
			drop_values(v);
		v = member(o, worded[i]);
		if (json_object_is_type(v, json_type_array) && !clean_words(v))
			return false;
	}
	json_object_object_foreach(o, key, child)
	{
		bool secret = redact_hides_next(slice_of(key)) && json_object_is_type(child, json_type_string);

		if (secret ? json_object_set_string(child, "[redacted]") != 1 : !clean(child))
			return false;
	}
	return true;
}

/* Everything below `v`, which is at most DEPTH_MAX deep. False: no memory. */
static bool
clean(struct json_object *v)
{
	bool good = true;

	if (json_object_is_type(v, json_type_string))
		return clean_text(v);
	if (json_object_is_type(v, json_type_object))
		return clean_object(v);
	if (json_object_is_type(v, json_type_array))
		for (size_t i = 0; i < json_object_array_length(v) && good; i++)
			good = clean(json_object_array_get_idx(v, i));
	return good;
}

/* ------------------------------------------------------------------ containers of pods */

void
kube_container_names_done(struct kube_container_names *c)
{
	free(c->v);
	*c = (struct kube_container_names){ NULL, 0, 0 };
}

/* Names go into paths and URLs: letters, digits, - and ., as Kubernetes has them. */
static bool
take_name(struct slice s, char *into)
{
	if (s.n == 0 || s.n > KUBE_NAME_MAX || s.p[0] == '.' || s.p[0] == '-')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '-' || s.p[i] == '.'))
			return false;
	memcpy(into, s.p, s.n);
	into[s.n] = '\0';
	return true;
}

/* Restarts of a container, as the statuses of its pod say. */
static bool
was_restarted(struct json_object *status, const char *list, struct slice name)
{
	struct json_object *all = member(status, list);

	for (size_t i = 0; json_object_is_type(all, json_type_array) && i < json_object_array_length(all); i++) {
		struct json_object *one = json_object_array_get_idx(all, i);

		if (slice_eq(text_of(member(one, "name")), name))
			return json_object_get_int64(member(one, "restartCount")) > 0;
	}
	return false;
}

static enum imp_rc
take_containers(struct kube_list *l, struct json_object *pod, const char *list, const char *statuses, struct imp_err *err)
{
	struct json_object *all = member(member(pod, "spec"), list);
	struct slice pod_name = text_of(member(member(pod, "metadata"), "name"));
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; json_object_is_type(all, json_type_array) && i < json_object_array_length(all) && rc == IMP_OK; i++) {
		struct slice name = text_of(member(json_object_array_get_idx(all, i), "name"));
		struct kube_container_name c = { .restarted = was_restarted(member(pod, "status"), statuses, name) };

		if (take_name(pod_name, c.pod) && take_name(name, c.name))
			rc = VEC_PUSH(NULL, l->pods, c, err);
		else
			l->odd_names++;
	}
	return rc;
}

static enum imp_rc
take_pod(struct kube_list *l, struct json_object *pod, struct imp_err *err)
{
	enum imp_rc rc = take_containers(l, pod, "initContainers", "initContainerStatuses", err);

	if (rc == IMP_OK)
		rc = take_containers(l, pod, "containers", "containerStatuses", err);
	return rc == IMP_OK ? take_containers(l, pod, "ephemeralContainers", "ephemeralContainerStatuses", err) : rc;
}

/* ------------------------------------------------------------------ the list */

void
kube_list_init(struct kube_list *l, const char *kind, const char *version, struct kube_container_names *pods)
{
	*l = (struct kube_list){
		.kind = kind,
		.version = version,
		.text = BUF_INIT(KUBE_LIST_BYTES_MAX),
		.more = BUF_INIT(65536),
		.pods = pods,
	};
}

void
kube_list_clear(struct kube_list *l)
{
	buf_clear(&l->text);
	buf_clear(&l->more);
	l->n = l->odd_names = 0;
	if (l->pods != NULL)
		l->pods->n = 0;
}

void
kube_list_done(struct kube_list *l)
{
	buf_done(&l->text);
	buf_done(&l->more);
}

static enum imp_rc
no_memory(struct imp_err *err)
{
	return imp_err_set(err, IMP_E_NOMEM, "out of memory");
}

/* An object of a list does not say what it is; one that kubectl prints does. */
static enum imp_rc
add_object(struct kube_list *l, struct json_object *o, struct imp_err *err)
{
	const char *text;

	if (!json_object_is_type(o, json_type_object))
		return imp_err_set(err, IMP_E_DATA, "something in the list is no object");
	if (l->pods != NULL && take_pod(l, o, err) != IMP_OK)
		return no_memory(err);
	if (!clean(o) || json_object_object_add(o, "kind", json_object_new_string(l->kind)) != 0 ||
	    json_object_object_add(o, "apiVersion", json_object_new_string(l->version)) != 0)
		return no_memory(err);
	text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text == NULL)
		return no_memory(err);
	buf_add_str(&l->text,
	    l->n > 0 ? ",\n" : "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"},\"items\":[\n");
	buf_add_str(&l->text, text);
	l->n++;
	return buf_status(&l->text, err);
}

enum imp_rc
kube_list_add(struct kube_list *l, struct slice page, struct imp_err *err)
{
	CLEANUP(put_json) struct json_object *o = parse(page, err);
	struct json_object *items = member(o, "items");
	struct slice more = text_of(member(member(o, "metadata"), "continue"));
	enum imp_rc rc = IMP_OK;

	if (o == NULL)
		return IMP_E_DATA;
	/* no object at all is null */
	if (!slice_has_suffix(text_of(member(o, "kind")), SLICE("List")) ||
	    (items != NULL && !json_object_is_type(items, json_type_array)))
		return imp_err_set(err, IMP_E_DATA, "not a list of the API");
	for (size_t i = 0; items != NULL && i < json_object_array_length(items) && rc == IMP_OK; i++)
		rc = add_object(l, json_object_array_get_idx(items, i), err);
	if (rc != IMP_OK)
		return rc;
	buf_clear(&l->more);
	buf_add_slice(&l->more, more);
	return buf_status(&l->more, err);
}

enum imp_rc
kube_list_end(struct kube_list *l, struct imp_err *err)
{
	buf_add_str(&l->text,
	    l->n > 0 ? "\n]}\n" :
		       "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"},\"items\":[]}\n");
	return buf_status(&l->text, err);
}

/* ------------------------------------------------------------------ errors */

bool
kube_status_read(struct slice body, struct kube_status *ret)
{
	CLEANUP(put_json) struct json_object *o = parse(body, NULL);
	struct slice reason, message;

	if (!slice_eq(text_of(member(o, "kind")), SLICE("Status")))
		return false;
	reason = text_of(member(o, "reason"));
	message = text_of(member(o, "message"));
	snprintf(ret->reason, sizeof(ret->reason), "%.*s", SLICE_ARG(reason));
	snprintf(ret->message, sizeof(ret->message), "%.*s", SLICE_ARG(message));
	return true;
}
