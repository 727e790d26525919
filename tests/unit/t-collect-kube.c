/* Kubernetes: kubeconfig files as they are found, the service account of a pod, lists without secrets, errors of the API. */
#include "config.h"

#include <stdlib.h>

#include "collect/kube_config.h"
#include "collect/kube_list.h"
#include "run-dir.h"
#include "tap.h"

static struct imp_err err;

static void
put(const char *name, const char *text, mode_t mode)
{
	run_dir_put(name, "%s", text);
	if (chmod(run_dir_path(name), mode) != 0)
		run_dir_bail(name);
}

/* ------------------------------------------------------------------ kubeconfig */

/* As `kind`, `kubectl config set-...` and cloud tools write them. */
static const char good[] = "apiVersion: v1\n"
			   "kind: Config\n"
			   "preferences: {}\n"
			   "clusters:\n"
			   "- cluster:\n"
			   "    certificate-authority-data: Q0EK\n" /* "CA\n" */
			   "    server: https://127.0.0.1:6443/\n"
			   "  name: kind-im\n"
			   "- cluster: {server: 'https://other:443', certificate-authority: ca.pem, tls-server-name: api.im}\n"
			   "  name: other\n"
			   "contexts:\n"
			   "- context: {cluster: kind-im, user: kind-im, namespace: im}\n"
			   "  name: kind-im\n"
			   "- context: {cluster: other, user: reader}\n"
			   "  name: other\n"
			   "- context: {cluster: other, user: cloud}\n"
			   "  name: cloud\n"
			   "- context: {cluster: other, user: files}\n"
			   "  name: files\n"
			   "- context: {cluster: gone, user: reader}\n"
			   "  name: gone\n"
			   "current-context: kind-im\n"
			   "users:\n"
			   "- name: kind-im\n"
			   "  user:\n"
			   "    client-certificate-data: Q0VSVA==\n" /* "CERT" */
			   "    client-key-data: S0VZ\n"	     /* "KEY" */
			   "- name: reader\n"
			   "  user: {token: abc.def}\n"
			   "- name: cloud\n"
			   "  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token]}}\n"
			   "- name: files\n"
			   "  user: {tokenFile: token}\n";

static void
kubeconfig(void)
{
	struct arena arena = { .budget = NULL };
	struct kube_access a;

	put("good.yaml", good, 0600);
	is_int(kube_config_read(&arena, "good.yaml", NULL, true, &a, &err), IMP_OK, "the current context");
	is_str(a.api.url, "https://127.0.0.1:6443", "server, without the slash at its end");
	is_str(a.namespace, "im", "namespace");
	ok(slice_eq(a.api.ca, SLICE("CA\n")), "authority");
	ok(slice_eq(a.api.cert, SLICE("CERT")), "certificate, two characters of padding");
	is_str(a.api.key.p, "KEY", "its key");
	ok(a.api.token.p == NULL && !a.api.insecure, "no token, and certificates are checked");
	kube_access_done(&a);

	is_int(kube_config_read(&arena, "missing.yaml:good.yaml", "other", true, &a, &err), IMP_OK,
	    "a file of several that is not there");
	is_str(a.api.token.p, "abc.def", "token");
	is_str(a.api.ca_file, "ca.pem", "authority in a file beside it");
	is_str(a.api.server_name, "api.im", "name that the certificate has");
	is_str(a.namespace, "default", "no namespace");
	kube_access_done(&a);

	is_int(kube_config_read(&arena, "good.yaml", "cloud", true, &a, &err), IMP_E_RULE, "a plugin");
	is_str(err.msg, "good.yaml:31:10: `exec` is not followed here", "is not run");
	is_str(err.hint, "give a token with `token:` in our configuration, such as one of `kubectl create token ACCOUNT`",
	    "and the hint says what to do");
	is_int(kube_config_read(&arena, "good.yaml", "cloud", false, &a, &err), IMP_OK,
	    "with a token of ours the user is not looked at");
	kube_access_done(&a);

	put("token", "first\n", 0600);
	is_int(kube_config_read(&arena, "good.yaml", "files", true, &a, &err), IMP_OK, "a token in a file");
	is_str(a.api.token.p, "first", "is read");
	put("token", "second\n", 0600);
	is_int(kube_access_renew(&a, &err), IMP_OK, "again");
	is_str(a.api.token.p, "second", "and it is the new one");
	put("token", "third\n", 0644);
	is_int(kube_access_renew(&a, &err), IMP_E_RULE, "a token that others may read");
	is_str(a.api.token.p, "second", "is not taken");
	kube_access_done(&a);

	is_int(kube_config_read(&arena, "good.yaml", "gone", true, &a, &err), IMP_E_RULE, "a cluster that is not there");
	is_str(err.msg, "good.yaml: there is no cluster 'gone'", "is named");
	is_int(kube_config_read(&arena, "good.yaml", "nobody", true, &a, &err), IMP_E_RULE, "a context that is not there");
	is_int(kube_config_read(&arena, "missing.yaml", NULL, true, &a, &err), IMP_E_NOINPUT, "no file");
	put("good.yaml", good, 0640);
	is_int(kube_config_read(&arena, "good.yaml", NULL, true, &a, &err), IMP_E_RULE, "a key in a file that others may read");
	is_str(err.msg, "good.yaml:27:22: others may read or write this file, which holds a secret (mode 0640)", "is refused");
	arena_done(&arena);
}

static void
broken_kubeconfig(void)
{
	static const struct {
		const char *cluster, *user, *want;
	} rows[] = {
		{ "server: 'https://h'", "token: t", NULL },
		{ "server: 'https://h'", "{}", NULL },
		{ "certificate-authority: x", "token: t", "k:1:31: key 'server' is missing" },
		{ "server: 'https://h', proxy-url: 'http://p'", "token: t", "k:1:53: `proxy-url` is not followed here" },
		{ "server: 'https://h', certificate-authority-data: '!'", "token: t", "k:1:81: not Base64" },
		{ "server: 'https://h'", "auth-provider: {name: gcp}", "k:3:26: `auth-provider` is not followed here" },
		{ "server: 'https://h'", "as: admin, token: t", "k:3:26: `as` is not followed here" },
		{ "server: 'https://h'", "username: u", "k:3:25: `username` and `password` belong together" },
		{ "server: 'https://h'",
		    "client-certificate-data: QQ==", "k:3:25: a client's certificate and its key belong together" },
		{ "server: 'https://h', insecure-skip-tls-verify: maybe", "token: t", "k:1:79: unknown value 'maybe'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena = { .budget = NULL };
		struct kube_access a;
		char text[1024];
		enum imp_rc rc;

		snprintf(text, sizeof(text),
		    "clusters: [{name: c, cluster: {%s}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nusers: [{name: u, user: %s%s%s}]\n"
		    "current-context: x\n",
		    rows[i].cluster, rows[i].user[0] == '{' ? "" : "{", rows[i].user, rows[i].user[0] == '{' ? "" : "}");
		put("k", text, 0600);
		rc = kube_config_read(&arena, "k", NULL, true, &a, &err);
		if (rows[i].want == NULL)
			ok(rc == IMP_OK, "good: %s", rows[i].user);
		else if (is_int(rc, IMP_E_RULE, rows[i].want))
			is_str(err.msg, rows[i].want, "its place and reason");
		if (rc == IMP_OK)
			kube_access_done(&a);
		arena_done(&arena);
	}
}

static void
in_cluster(void)
{
	struct arena arena = { .budget = NULL };
	struct kube_access a;

	unsetenv("KUBERNETES_SERVICE_HOST");
	is_int(kube_in_cluster(&arena, "sa", &a, &err), IMP_E_RULE, "not in a pod");
	setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
	setenv("KUBERNETES_SERVICE_PORT", "6443", 1);
	put("sa/token", "mounted\n", 0644);
	put("sa/namespace", "im", 0644);
	is_int(kube_in_cluster(&arena, "sa", &a, &err), IMP_OK, "in a pod; the kubelet's modes are its own");
	is_str(a.api.url, "https://[fd00::1]:6443", "address");
	is_str(a.api.ca_file, "sa/ca.crt", "authority");
	is_str(a.api.token.p, "mounted", "token");
	is_str(a.namespace, "im", "namespace");
	kube_access_done(&a);
	arena_done(&arena);
}

/* ------------------------------------------------------------------ lists */

static void
lists(void)
{
	static const char first[] =
	    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"abc==\"},\"items\":[{\"metadata\":{\"name\":\"im-0\","
	    "\"managedFields\":[1],\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"geheim\",\"team\":\"im\"}},"
	    "\"spec\":{\"initContainers\":[{\"name\":\"wait\"}],\"containers\":[{\"name\":\"im\",\"env\":[{\"name\":\"DSN\",\"value\":\"geheim\"},"
	    "{\"name\":\"PW\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"db\",\"key\":\"password\"}}}],"
	    "\"args\":[\"--password\",\"geheim\",\"--db=mysql://u:geheim@db/im\",\"--v=2\"],"
	    "\"livenessProbe\":{\"httpGet\":{\"path\":\"/live\",\"httpHeaders\":[{\"name\":\"Authorization\",\"value\":\"geheim\"}]}}}]},"
	    "\"status\":{\"containerStatuses\":[{\"name\":\"im\",\"restartCount\":2}]}}]}";
	static const char last[] =
	    "{\"kind\":\"PodList\",\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"../x\"},"
	    "\"spec\":{\"containers\":[{\"name\":\"im\"}]}},{\"metadata\":{\"name\":\"im-1\"},\"spec\":{\"containers\":[{\"name\":\"im\"}]}}]}";
	struct kube_container_names pods = { NULL, 0, 0 };
	struct kube_list l;

	kube_list_init(&l, "Pod", "v1", &pods);
	is_int(kube_list_add(&l, slice_of(first), &err), IMP_OK, "first page");
	is_str(l.more.p, "abc==", "there is more");
	is_int(kube_list_add(&l, slice_of(last), &err), IMP_OK, "last page");
	is_int((intmax_t)l.more.n, 0, "there is no more");
	is_int(kube_list_end(&l, &err), IMP_OK, "end");
	ok(strstr(l.text.p, "geheim") == NULL, "no secret is left");
	ok(strstr(l.text.p, "managedFields") == NULL && strstr(l.text.p, "last-applied") == NULL, "nor what kubectl adds");
	ok(strstr(l.text.p, "\"team\":\"im\"") != NULL &&
		strstr(l.text.p, "\"secretKeyRef\":{\"name\":\"db\",\"key\":\"password\"}") != NULL &&
		strstr(l.text.p, "{\"name\":\"DSN\"}") != NULL && strstr(l.text.p, "\"--v=2\"") != NULL &&
		strstr(l.text.p, "/live") != NULL,
	    "everything else stays");
	ok(strncmp(l.text.p, "{\"apiVersion\":\"v1\",\"kind\":\"List\"", 32) == 0 &&
		strstr(l.text.p, "\"kind\":\"Pod\",\"apiVersion\":\"v1\"") != NULL,
	    "a List whose objects say what they are");
	is_int((intmax_t)pods.n, 3, "containers with usable names");
	is_int((intmax_t)l.odd_names, 1, "and one without");
	if (pods.n == 3) {
		ok(strcmp(pods.v[0].pod, "im-0") == 0 && strcmp(pods.v[0].name, "wait") == 0 && !pods.v[0].restarted,
		    "init containers come first");
		ok(strcmp(pods.v[1].name, "im") == 0 && pods.v[1].restarted, "one that was restarted");
		ok(strcmp(pods.v[2].pod, "im-1") == 0 && !pods.v[2].restarted, "one without a status");
	}
	kube_list_clear(&l);
	is_int(kube_list_add(&l, SLICE("{\"kind\":\"PodList\",\"items\":null}"), &err), IMP_OK, "no objects");
	is_int(kube_list_end(&l, &err), IMP_OK, "end");
	is_str(l.text.p, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"},\"items\":[]}\n",
	    "an empty list");
	is_int((intmax_t)pods.n, 0, "begun anew");
	is_int(kube_list_add(&l, SLICE("<html>"), &err), IMP_E_DATA, "a page is no list");
	is_int(kube_list_add(&l, SLICE("{\"kind\":\"Pod\"}"), &err), IMP_E_DATA, "nor is an object");
	is_int(kube_list_add(&l, SLICE("{\"kind\":\"PodList\",\"items\":[{\"a\":"), &err), IMP_E_DATA, "nor a torn one");
	is_int(kube_list_add(&l, SLICE("{\"kind\":\"PodList\",\"items\":[1]}"), &err), IMP_E_DATA, "nor one of numbers");
	kube_list_done(&l);
	kube_container_names_done(&pods);
}

static void
statuses(void)
{
	struct kube_status s = { .message = "untouched" };

	ok(!kube_status_read(SLICE("{\"kind\":\"PodList\"}"), &s) && !kube_status_read(SLICE("no"), &s) &&
		!kube_status_read(SLICE(""), &s),
	    "no Status");
	is_str(s.message, "untouched", "nothing is written");
	ok(kube_status_read(
	       SLICE(
		   "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"pods is\\u001b forbidden: token=abc\",\"code\":403}"),
	       &s),
	    "a Status");
	is_str(s.reason, "Forbidden", "its reason");
	is_str(s.message, "pods is\033 forbidden: token=abc", "its words as they came");
}

int
main(void)
{
	run_dir_clear();
	if (chdir(run_dir) != 0)
		run_dir_bail(run_dir);
	kubeconfig();
	broken_kubeconfig();
	in_cluster();
	lists();
	statuses();
	return done();
}
