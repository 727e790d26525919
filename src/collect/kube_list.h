/* collect/kube_list.h - answers of the Kubernetes API: lists, page by page, as `kubectl get -o json` prints them, and errors.
 *
 *	kube_list_init() -> kube_list_add() for each page -> kube_list_end() -> kube_list_done()
 *
 * Taken out of objects is what may be a secret: `value` of environment variables and of probes' headers, what a key or an option of
 * a command names as a secret, the annotation `kubectl.kubernetes.io/last-applied-configuration`, and in all text what base/redact.h
 * knows. Names and references (`valueFrom`) stay. So does everything else but `managedFields`, which kubectl does not print either.
 * Threading: pure. json-c stays in kube_list.c. */
#pragma once
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#define KUBE_LIST_BYTES_MAX ((size_t)256 << 20)
#define KUBE_NAME_MAX 253

/* A container of a listed pod. */
struct kube_container_name {
	char pod[KUBE_NAME_MAX + 1], name[KUBE_NAME_MAX + 1];
	bool restarted; /* there was one before it, whose log may be left */
};

struct kube_container_names {
	struct kube_container_name *v;
	size_t n, cap;
};

void kube_container_names_done(struct kube_container_names *c); /* for CLEANUP() too */

struct kube_list {
	const char *kind, *version;	   /* of its objects, which do not say it themselves */
	struct buf text;		   /* the document */
	struct buf more;		   /* token of the next page; empty: there is none */
	size_t n;			   /* objects */
	struct kube_container_names *pods; /* borrowed: also put down the containers of pods; NULL: not wanted */
	size_t odd_names;		   /* of pods and containers that are no names of Kubernetes: left out of `pods` */
};

void kube_list_init(struct kube_list *l, const char *kind, const char *version, struct kube_container_names *pods);
void kube_list_clear(struct kube_list *l); /* begin anew */
void kube_list_done(struct kube_list *l);  /* for CLEANUP() too */

/* IMP_E_DATA: it is not a list of the API, with the reason. */
MUST_CHECK enum imp_rc kube_list_add(struct kube_list *l, struct slice page, struct imp_err *err);
/* Close the document. */
MUST_CHECK enum imp_rc kube_list_end(struct kube_list *l, struct imp_err *err);

/* What the API server says when it refuses: an object of kind Status. */
struct kube_status {
	char reason[64];   /* "Forbidden", "Expired"; may be empty */
	char message[320]; /* as it came, cut */
};

/* False: it is none. */
bool kube_status_read(struct slice body, struct kube_status *ret);
