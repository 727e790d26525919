#include "config.h"

#include "collect/collect_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/settings.h"
#include "base/time.h"

#define FORMAT_VERSION 1
#define INSTANCES_MAX 64 /* of one kind */
#define SOURCE_DEFAULT "main"
#define TRIES_MAX 20

static const struct ask_limits default_limits = {
	.timeout_ns = 10 * NS_PER_S,
	.tries = 3,
	.pause_ns = NS_PER_S / 4,
	.bytes_max = UINT64_C(256) << 20,
};

/* ------------------------------------------------------------------ the file */

static enum imp_rc
open_failed(const char *path, struct imp_err *err)
{
	enum imp_rc rc =
	    imp_err_errno(err, errno == ENOENT ? IMP_E_NOINPUT : IMP_E_IO, errno, "could not open the configuration '%s'", path);

	if (rc == IMP_E_NOINPUT)
		imp_err_hint(err,
		    "--config FILE or $IMPAUDIT_CONFIG names another one; impaudit.example.yaml is one to begin with");
	return rc;
}

static enum imp_rc
read_file(const char *path, struct buf *out, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char piece[4096];
	ssize_t n;

	if (fd < 0)
		return open_failed(path, err);
	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno != EINTR)
			return imp_err_errno(err, IMP_E_IO, errno, "could not read the configuration '%s'", path);
		if (n > 0)
			buf_add(out, piece, (size_t)n);
		if (out->n > DOC_BYTES_MAX)
			return imp_err_set(err, IMP_E_RULE, "%s: larger than %zu bytes", path, DOC_BYTES_MAX);
	}
	return buf_status(out, err);
}

/* ------------------------------------------------------------------ sections */

static enum imp_rc
read_limits(const struct doc_node *map, const struct ask_limits *fallback, struct ask_limits *ret, struct imp_err *err)
{
	uint64_t tries;
	enum imp_rc rc = setting_length(doc_get(map, "timeout"), fallback->timeout_ns, &ret->timeout_ns, err);

	if (rc == IMP_OK)
		rc = setting_count(doc_get(map, "tries"), fallback->tries, 1, TRIES_MAX, &tries, err);
	if (rc == IMP_OK)
		rc = setting_length(doc_get(map, "pause"), fallback->pause_ns, &ret->pause_ns, err);
	if (rc == IMP_OK)
		rc = setting_bytes(doc_get(map, "answer_max"), fallback->bytes_max, &ret->bytes_max, err);
	if (rc == IMP_OK)
		ret->tries = (unsigned)tries;
	return rc;
}

/* It becomes part of file names. */
static enum imp_rc
read_source(struct collect_config *c, const struct collector *of, const struct doc_node *map, bool in_list, const char **ret,
    struct imp_err *err)
{
	const struct doc_node *name = doc_get(map, "name");
	enum imp_rc rc;

	if (name == NULL && in_list)
		return doc_error(&map->at, err, "key 'name' is missing: it tells the maps of a list apart");
	rc = setting_name(&c->arena, name, SOURCE_DEFAULT, ret, err);
	if (rc != IMP_OK)
		return rc;
	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.v[i].of == of && strcmp(c->v.v[i].source, *ret) == 0)
			return doc_error(&name->at, err, "two maps of '%s' have the name '%s'", of->name, *ret);
	return IMP_OK;
}

static enum imp_rc
read_map(struct collect_config *c, const struct collector *of, const struct doc_node *map, bool in_list,
    const struct ask_limits *top, struct imp_err *err)
{
	struct instance in = { .of = of };
	struct ask_limits limits;
	enum imp_rc rc = doc_is(map, DOC_MAP, err);

	if (rc == IMP_OK)
		rc = read_source(c, of, map, in_list, &in.source, err);
	if (rc == IMP_OK)
		rc = read_limits(map, top, &limits, err);
	if (rc == IMP_OK)
		rc = of->configure(&c->arena, map, in.source, &limits, &in.settings, err);
	if (rc != IMP_OK)
		return rc;
	rc = VEC_PUSH(NULL, &c->v, in, err);
	if (rc != IMP_OK)
		of->forget(in.settings);
	return rc;
}

static enum imp_rc
read_section(struct collect_config *c, const struct collector *of, const struct doc_node *section, const struct ask_limits *top,
    struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (section == NULL)
		return IMP_OK;
	if (section->kind != DOC_LIST)
		return read_map(c, of, section, false, top, err);
	if (section->n > INSTANCES_MAX)
		return doc_error(&section->at, err, "more than %d maps in '%s'", INSTANCES_MAX, of->name);
	for (const struct doc_node *map = section->first; map != NULL && rc == IMP_OK; map = map->next)
		rc = read_map(c, of, map, true, top, err);
	return rc;
}

/* ------------------------------------------------------------------ the whole */

static enum imp_rc
check_top_keys(const struct doc_node *root, struct imp_err *err)
{
	static const char *const own[] = { "format", "timeout", "tries", "pause", "answer_max" };
	const char *keys[sizeof(own) / sizeof(own[0]) + COLLECTORS_MAX + 1];
	size_t n = 0;

	for (; n < sizeof(own) / sizeof(own[0]); n++)
		keys[n] = own[n];
	for (size_t i = 0; collectors[i] != NULL; i++)
		keys[n++] = collectors[i]->name;
	keys[n] = NULL;
	return doc_check_keys(root, keys, err);
}

static enum imp_rc
read_root(struct collect_config *c, const struct doc_node *root, struct imp_err *err)
{
	const struct doc_node *format = NULL;
	struct ask_limits limits;
	uint64_t version;
	enum imp_rc rc = check_top_keys(root, err);

	if (rc == IMP_OK)
		rc = doc_need(root, "format", &format, err);
	if (rc == IMP_OK)
		rc = setting_count(format, FORMAT_VERSION, FORMAT_VERSION, FORMAT_VERSION, &version, err);
	if (rc == IMP_OK)
		rc = read_limits(root, &default_limits, &limits, err);
	for (size_t i = 0; collectors[i] != NULL && rc == IMP_OK; i++)
		rc = read_section(c, collectors[i], doc_get(root, collectors[i]->name), &limits, err);
	if (rc == IMP_OK && c->v.n == 0)
		rc = doc_error(&root->at, err, "no system is configured");
	return rc;
}

enum imp_rc
collect_config_read(const char *path, struct collect_config **ret, struct imp_err *err)
{
	CLEANUP(collect_config_done) struct collect_config *c = calloc(1, sizeof(*c));
	CLEANUP(buf_done) struct buf text = BUF_INIT(DOC_BYTES_MAX + 4096);
	struct doc_node *root;
	struct slice file;
	enum imp_rc rc = read_file(path, &text, err);

	if (rc != IMP_OK)
		return rc;
	if (c == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	file = arena_slice(&c->arena, slice_of(path), err);
	if (file.p == NULL)
		return IMP_E_NOMEM;
	rc = doc_parse(&c->arena, file.p, buf_slice(&text), &root, err);
	if (rc == IMP_OK)
		rc = read_root(c, root, err);
	if (rc == IMP_OK)
		*ret = TAKE(c);
	return rc;
}

void
collect_config_close(struct collect_config *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->v.n; i++)
		c->v.v[i].of->forget(c->v.v[i].settings);
	VEC_FREE(NULL, &c->v);
	arena_done(&c->arena);
	free(c);
}

void
collect_config_done(struct collect_config **c)
{
	collect_config_close(*c);
	*c = NULL;
}

const void *
collect_config_settings(const struct collect_config *c, const struct collector *of, size_t n)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.v[i].of == of && n-- == 0)
			return c->v.v[i].settings;
	return NULL;
}

enum imp_rc
collect_config_has(const struct collect_config *c, const char *name, struct imp_err *err)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (strcmp(c->v.v[i].of->name, name) == 0)
			return IMP_OK;
	return imp_err_set(err, IMP_E_USAGE, "the configuration has no section '%.64s'", name);
}
