/* base/redact.h - secrets out of text, before it reaches the store.
 *
 * Recognised by what stands beside them, never by what they look like alone: values of keys that name a secret (`secret`,
 * `password`, `token`, `apikey`, `authorization`, ...; JSON, query strings, headers, key=value, also JSON within JSON strings),
 * bearer and basic credentials, user:password@ in URLs and DSNs, PEM private keys. What is taken out becomes
 * [redacted]. Pure function, any thread; memory: what `out` may hold. */
#pragma once
#include <stdbool.h>

#include "base/buf.h"
#include "base/slice.h"

/* Append `s` without its secrets. */
void redact_add(struct buf *out, struct slice s);

/* Is it a word of a command behind which all words are to be hidden: AUTH, SETUSER, CONFIG SET requirepass, a key that names a secret? */
bool redact_hides_next(struct slice word);
