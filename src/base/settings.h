/* base/settings.h - values of the configuration file: lengths of time, sizes, secrets, names that go into SQL.
 *
 * A reader takes a node of base/doc.h and fills what the program works with; what is wrong is IMP_E_RULE with file:line:column.
 * Ownership: text lives in the tree's arena; a secret is its owner's to end. Threading: pure, but for the environment and files. */
#pragma once
#include "base/arena.h"
#include "base/doc.h"
#include "base/err.h"

#define SECRET_BYTES_MAX 65536

/* A password, token or key: never in a message, a file or the list of processes; wiped when it ends. */
struct secret {
	char *p; /* NUL-terminated; NULL: none was given */
	size_t n;
};

void secret_done(struct secret *s); /* for CLEANUP() too */

/* `{env: NAME}` or `{file: PATH}`. A file must be a regular one (links are followed) that neither group nor others can read or
 * write; one line feed at its end is not part of the secret. A secret that stands in the configuration itself is refused: it would
 * end up in backups and repositories. NULL for `n`: no secret, IMP_OK. */
MUST_CHECK enum imp_rc secret_read(const struct doc_node *n, struct secret *ret, struct imp_err *err);

/* "250ms", "5s", "2m", "1h", fractions allowed, 1 ms to 24 h. `fallback` when `n` is NULL. */
MUST_CHECK enum imp_rc setting_length(const struct doc_node *n, int64_t fallback_ns, int64_t *ret_ns, struct imp_err *err);
/* The same for text of the command line; `what` names the option. IMP_E_USAGE. */
MUST_CHECK enum imp_rc setting_length_text(const char *text, const char *what, int64_t *ret_ns, struct imp_err *err);

/* "64M": K, M, G as powers of 1024; at least 1. */
MUST_CHECK enum imp_rc setting_bytes(const struct doc_node *n, uint64_t fallback, uint64_t *ret, struct imp_err *err);

/* A decimal number from `lo` to `hi`. */
MUST_CHECK enum imp_rc setting_count(const struct doc_node *n, uint64_t fallback, uint64_t lo, uint64_t hi, uint64_t *ret,
    struct imp_err *err);

/* true or false. */
MUST_CHECK enum imp_rc setting_bool(const struct doc_node *n, bool fallback, bool *ret, struct imp_err *err);

/* Text, NUL-terminated, at least one byte. `fallback` (may be NULL) when `n` is NULL. */
MUST_CHECK enum imp_rc setting_text(struct arena *arena, const struct doc_node *n, const char *fallback, const char **ret,
    struct imp_err *err);

/* A name that stands in names of files and in other programs' texts: up to SETTING_NAME_MAX letters, digits, '.', '_', '-', not beginning
 * with a dot. `fallback` when `n` is NULL. */
#define SETTING_NAME_MAX 63
MUST_CHECK enum imp_rc setting_name(struct arena *arena, const struct doc_node *n, const char *fallback, const char **ret,
    struct imp_err *err);
