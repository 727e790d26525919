/* collect/http_target.h - where an HTTP server is, whom to trust about that, and how to prove oneself to it.
 *
 * Ownership: text lives in the arena that the target was read with; secrets are the target's and end with http_target_done().
 * Threading: pure, but for the files that are read. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/doc.h"
#include "base/settings.h"

struct http_target {
	const char *url;	 /* scheme://host[:port][/path][?query], without user, fragment and a slash at its end */
	const char *server_name; /* that the certificate must be for; NULL: the URL's host */
	const char *ca_file;	 /* authorities, PEM; NULL: `ca`, else the system's */
	struct slice ca;	 /* the same as text; n 0: none */
	const char *cert_file;	 /* our own certificate, PEM; NULL: `cert`, else none */
	struct slice cert;
	struct secret key;   /* its private key, PEM */
	struct secret token; /* Authorization: Bearer; p NULL: none */
	const char *user;    /* Authorization: Basic; NULL: none */
	struct secret password;
	bool insecure; /* certificates are not checked */
};

void http_target_done(struct http_target *t); /* for CLEANUP() too */

/* Keys of a map that http_target_read() reads. */
#define HTTP_TARGET_KEYS "url", "ca", "cert", "key", "token", "user", "password", "insecure"

/* IMP_E_RULE with the place in front. On failure *ret needs no end. */
MUST_CHECK enum imp_rc http_target_read(struct arena *arena, const struct doc_node *map, struct http_target *ret,
    struct imp_err *err);

/* The URL alone: http or https, without what does not belong into it. */
MUST_CHECK enum imp_rc http_url_read(struct arena *arena, const struct doc_node *n, const char **ret, struct imp_err *err);
