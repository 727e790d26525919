#include "config.h"

#include "ingest/log_name.h"

#include "base/cmp.h"

static struct slice
without_suffix(struct slice s, struct slice suffix)
{
	return slice_has_suffix(s, suffix) ? (struct slice){ s.p, s.n - suffix.n } : s;
}

/* A number of up to 18 digits; LOG_NUMBER_NONE for anything else. */
static uint64_t
number(struct slice s)
{
	uint64_t v = 0;

	if (s.n == 0 || s.n > 18)
		return LOG_NUMBER_NONE;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return LOG_NUMBER_NONE;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	return v;
}

/* YYYYMMDD-HHMMSS */
static uint64_t
date(struct slice s)
{
	uint64_t day, time;

	if (s.n != 15 || s.p[8] != '-')
		return LOG_NUMBER_NONE;
	day = number((struct slice){ s.p, 8 });
	time = number((struct slice){ s.p + 9, 6 });
	return day != LOG_NUMBER_NONE && time != LOG_NUMBER_NONE ? day * 1000000 + time : LOG_NUMBER_NONE;
}

/* What stands before the last `c`, and *s what stands behind it; all of it is behind when there is none. */
static struct slice
take_before(struct slice *s, char c)
{
	const char *at = memrchr(s->p, c, s->n);
	struct slice before = { s->p, at != NULL ? (size_t)(at - s->p) : 0 };

	if (at != NULL)
		*s = (struct slice){ at + 1, s->n - before.n - 1 };
	return before;
}

/* NS_POD_UID: the pod; else the whole name. None of the three has an underscore. */
static struct slice
pod_of_folder(struct slice folder)
{
	struct slice rest = folder, ns_pod = take_before(&rest, '_');
	const char *under = memchr(ns_pod.p, '_', ns_pod.n);

	if (under == NULL || memchr(under + 1, '_', ns_pod.n - (size_t)(under + 1 - ns_pod.p)) != NULL)
		return folder;
	return (struct slice){ under + 1, ns_pod.n - (size_t)(under + 1 - ns_pod.p) };
}

/* POD_NS_CONTAINER-ID, as kubelet names its links. */
static bool
read_link_name(struct slice name, struct log_name *n)
{
	struct slice tail = name, pod_ns = take_before(&tail, '_'), ns = pod_ns, pod = take_before(&ns, '_');
	struct slice id = tail, container = take_before(&id, '-');

	if (pod.n == 0 || ns.n == 0 || container.n == 0 || id.n != 64)
		return false;
	n->pod = pod;
	n->container = container;
	return true;
}

static bool
is_previous_mark(struct slice *name)
{
	static const struct slice marks[] = { SLICE(".previous"), SLICE("-previous"), SLICE("_previous"), SLICE(".prev") };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (name->n > marks[i].n && slice_has_suffix(*name, marks[i])) {
			name->n -= marks[i].n;
			return true;
		}
	}
	return false;
}

/* The part, by what stands behind `.log`. */
static void
read_part(struct slice part, struct log_name *n)
{
	while (part.n > 0 && (part.p[0] == '.' || part.p[0] == '-'))
		part = (struct slice){ part.p + 1, part.n - 1 };
	n->date = date(part);
	n->number = number(part);
	n->previous = slice_eq(part, SLICE("previous")) || slice_eq(part, SLICE("prev"));
}

static void
read_folders(struct slice folders, struct slice name, struct log_name *n)
{
	struct slice last = folders, before = take_before(&last, '/');
	uint64_t restart = number(name);

	if (folders.n == 0) {
		if (!read_link_name(name, n))
			n->pod = name;
		return;
	}
	if (slice_eq(folders, SLICE("containers")) && read_link_name(name, n))
		return;
	if (before.n > 0 && !slice_eq(before, SLICE("pods"))) {
		take_before(&before, '/');
		n->pod = pod_of_folder(before);
		n->container = last;
	} else {
		n->pod = pod_of_folder(last);
		n->container = restart != LOG_NUMBER_NONE ? (struct slice){ NULL, 0 } : name;
	}
	if (restart != LOG_NUMBER_NONE) {
		n->instance = restart;
		n->base = (struct slice){ folders.p, folders.n };
	}
}

void
log_name_read(struct slice path, struct log_name *ret)
{
	struct log_name n = { .number = LOG_NUMBER_NONE, .date = LOG_NUMBER_NONE };
	struct slice name, folders, part = { NULL, 0 };

	n.plain = without_suffix(without_suffix(path, SLICE(".gz")), SLICE(".zst"));
	name = n.plain;
	if (slice_has_prefix(name, SLICE("logs/")))
		name = (struct slice){ name.p + 5, name.n - 5 };
	folders = take_before(&name, '/');
	for (size_t i = name.n; i >= 4; i--) {
		if (memcmp(name.p + i - 4, ".log", 4) == 0) {
			part = (struct slice){ name.p + i, name.n - i };
			name.n = i - 4;
			break;
		}
	}
	read_part(part, &n);
	n.previous |= is_previous_mark(&name);
	n.base = (struct slice){ n.plain.p, (size_t)(name.p + name.n - n.plain.p) };
	read_folders(folders, name, &n);
	*ret = n;
}

bool
log_name_same(const struct log_name *a, const struct log_name *b)
{
	return slice_eq(a->base, b->base);
}

int
log_name_cmp(const struct log_name *a, const struct log_name *b)
{
	CMP(a->instance, b->instance);
	CMP(b->previous, a->previous);
	if (a->date != b->date)
		return a->date < b->date ? -1 : 1; /* the current one has none: last */
	if (a->number != b->number)
		return a->number > b->number && a->number != LOG_NUMBER_NONE ? -1 : b->number == LOG_NUMBER_NONE ? -1 : 1;
	return slice_cmp(a->plain, b->plain);
}
