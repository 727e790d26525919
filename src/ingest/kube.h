/* ingest/kube.h - the state of a cluster as kubectl prints it: pods, workloads, events, and what containers use.
 *
 * Life cycle: 1. zeroed, with a budget in `arena`  2. kube_read_json() or kube_read_top()  3. kube_done(). Texts belong to the arena; p is
 * NULL where the object does not say. Objects of other kinds are passed over. Threading: one thread. Errors: IMP_E_NOMEM, IMP_E_LIMIT
 * for the budget, and those of reading; whatever is wrong with a file is in its struct snapshot. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ingest/snapshot.h"

struct kube_resources {
	double cpu_request, cpu_limit;	      /* cores, NAN: not set */
	int64_t memory_request, memory_limit; /* bytes, NO_TIME: not set */
};

struct kube_container { /* of a pod */
	struct slice namespace, pod, uid, node, container, phase, image, image_id, probes, last_reason;
	struct kube_resources resources;
	int64_t ready, restarts; /* NO_TIME: not said */
	int64_t started_t, last_exit, last_finished_t;
};

struct kube_workload { /* a container of a StatefulSet, a Deployment, ... */
	struct slice kind, namespace, name, container, image, probes;
	struct kube_resources resources;
	int64_t replicas, ready_replicas; /* NO_TIME: not said */
};

struct kube_event {
	int64_t t, n; /* t: NO_TIME */
	struct slice type, reason, kind, namespace, name, message;
	struct slice uid; /* of the event itself */
};

struct kube_usage {
	int64_t t; /* when it was measured, NO_TIME: not said */
	struct slice pod, container;
	double cpu;	/* cores, NAN: not measured */
	int64_t memory; /* bytes, NO_TIME: not measured */
	uint64_t line;
};

struct kube {
	struct arena arena;
	VEC(struct kube_container) containers;
	VEC(struct kube_workload) workloads;
	VEC(struct kube_event) events;
	VEC(struct kube_usage) usages;
};

/* One object, a List, an array, or several of these behind one another. */
MUST_CHECK enum imp_rc kube_read_json(struct kube *k, struct snapshot *s, struct imp_err *err);
/* The table that `kubectl top pod` prints, with and without namespaces, containers and headings. */
MUST_CHECK enum imp_rc kube_read_top(struct kube *k, struct snapshot *s, struct imp_err *err);
void kube_done(struct kube *k);

/* 250m, 128Mi, 1e3, 12345n: as a number, and as a whole one (rounded up, as Kubernetes does). False when it is no quantity, or beyond
 * an int64. */
bool kube_quantity(struct slice s, double *ret, int64_t *ret_whole);

/* Internal to ingest/kube*.c: put one object down; `kind` is what a list said of its items, for those that do not. *ret_reason: why it is
 * none (static text), NULL for one that was taken or is of no interest. */
struct json;
MUST_CHECK enum imp_rc kube_object(struct kube *k, const struct json *o, struct slice kind, uint64_t line, bool *ret_taken,
    const char **ret_reason, struct imp_err *err);
