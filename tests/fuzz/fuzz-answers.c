/* Any bytes as answers over HTTP: a list or a refusal of the Kubernetes API, an answer of Prometheus. What is written of a list can be
 * read again as one, with as many objects, and has nothing more to take out. */
#include "config.h"

#include <string.h>

#include "collect/kube_list.h"
#include "collect/prometheus.h"
#include "fuzz.h"

static void
list_again(struct slice text, size_t objects)
{
	struct kube_container_names pods = { NULL, 0, 0 };
	struct kube_list again;

	kube_list_init(&again, "Pod", "v1", &pods);
	must(kube_list_add(&again, text, NULL) == IMP_OK && again.n == objects);
	must(kube_list_end(&again, NULL) == IMP_OK && slice_eq(buf_slice(&again.text), text));
	kube_list_done(&again);
	kube_container_names_done(&pods);
}

static void
as_list(struct slice bytes)
{
	struct kube_container_names pods = { NULL, 0, 0 };
	struct kube_list list;

	kube_list_init(&list, "Pod", "v1", &pods);
	if (kube_list_add(&list, bytes, NULL) == IMP_OK && kube_list_end(&list, NULL) == IMP_OK)
		list_again(buf_slice(&list.text), list.n);
	for (size_t i = 0; i < pods.n; i++)
		must(pods.v[i].pod[0] != '\0' && strchr(pods.v[i].pod, '/') == NULL && pods.v[i].name[0] != '.');
	kube_list_done(&list);
	kube_container_names_done(&pods);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = { (const char *)data, size };
	struct prometheus_answer answer;
	struct kube_status status;

	as_list(bytes);
	if (kube_status_read(bytes, &status))
		must(strlen(status.message) < sizeof(status.message));
	if (prometheus_answer_read(bytes, &answer))
		must(size > 10 && strlen(answer.error) < sizeof(answer.error));
	return 0;
}
