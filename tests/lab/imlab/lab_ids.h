/* lab_ids.h - names and keys in the forms of the server: users, topics, sessions, the API key, tokens, the ring of nodes.
 *
 * Pure functions but for id_random(); any thread. Names are NUL-terminated in arrays of NAME_BYTES. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define NAME_BYTES 32
#define TOKEN_BYTES 50
#define SECRET_BYTES 32

struct name {
	char s[NAME_BYTES];
};

uint64_t id_random(void); /* not 0, less than 2^63 */

struct name name_of(struct slice s);			  /* cut where it is too long */
struct name name_number(const char *prefix, uint64_t id); /* "usr0akY6qbj1gA", "grp...", or a bare session id with prefix "" */
uint64_t name_user(struct slice s);			  /* the number in "usr...", 0 when that is no user */
struct name name_p2p(uint64_t a, uint64_t b);
uint64_t name_p2p_other(const char *p2p, uint64_t own); /* the other user of a p2p topic, 0 when `own` is none of them */

/* Base64 with padding, or of the URL alphabet without: the length of the text, of which `ret` has room for 4 * ((n + 2) / 3) + 1. */
size_t base64_encode(const void *p, size_t n, bool url, char *ret);
/* Both alphabets, padding or not; the number of bytes, -1 when it is not base64 or more than `cap`. */
ptrdiff_t base64_decode(struct slice text, unsigned char *ret, size_t cap);

/* A key that was made with the salt of the default configuration. */
bool api_key_valid(struct slice key);

/* A token of `uid` good until `expires` (Unix seconds), and back: 0 when it is broken, forged or over. */
void token_make(const unsigned char secret[SECRET_BYTES], uint64_t uid, uint32_t expires, unsigned char ret[TOKEN_BYTES]);
uint64_t token_user(const unsigned char secret[SECRET_BYTES], struct slice token, int64_t now_s);

/* The node that masters a topic: a ring of 20 points a node, CRC-32 of the point's number and the node's name. */
#define RING_NODES_MAX 8
#define RING_REPLICAS 20

struct ring {
	size_t n;
	struct {
		uint32_t hash;
		uint32_t node;
	} point[RING_NODES_MAX * RING_REPLICAS];
};

/* `names` of the `n` nodes; those that `alive` does not have are left out. */
void ring_build(struct ring *ring, const char *const *names, size_t n, uint32_t alive);
uint32_t ring_node(const struct ring *ring, struct slice topic);
