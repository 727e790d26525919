#include "config.h"

#include "lab_ids.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <zlib.h>

#include "base/cmp.h"
#include "base/search.h"

#define API_KEY_BYTES 24
#define API_KEY_SIGNED 8
#define LEVEL_AUTH 20

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url_alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

uint64_t
id_random(void)
{
	uint64_t v = 0;

	while (v == 0) {
		if (getrandom(&v, sizeof(v), 0) != sizeof(v))
			v = 0;
		v &= INT64_MAX;
	}
	return v;
}

size_t
base64_encode(const void *p, size_t n, bool url, char *ret)
{
	const char *letters = url ? url_alphabet : alphabet;
	const unsigned char *in = p;
	size_t len = 0;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)in[i] << 16 | (i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0) | (i + 2 < n ? in[i + 2] : 0);
		size_t have = n - i < 3 ? n - i + 1 : 4;

		for (size_t k = 0; k < 4; k++) {
			if (k < have)
				ret[len++] = letters[v >> (18 - 6 * k) & 63];
			else if (!url)
				ret[len++] = '=';
		}
	}
	ret[len] = '\0';
	return len;
}

static int
letter_value(char c)
{
	const char *at;

	if (c == '\0')
		return -1;
	at = strchr(alphabet, c);
	if (at != NULL)
		return (int)(at - alphabet);
	return c == '-' ? 62 : c == '_' ? 63 : -1;
}

ptrdiff_t
base64_decode(struct slice text, unsigned char *ret, size_t cap)
{
	uint32_t v = 0;
	unsigned bits = 0;
	size_t n = 0;

	while (text.n > 0 && text.p[text.n - 1] == '=')
		text.n--;
	for (size_t i = 0; i < text.n; i++) {
		int letter = letter_value(text.p[i]);

		if (letter < 0)
			return -1;
		v = v << 6 | (uint32_t)letter;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			if (n == cap)
				return -1;
			ret[n++] = (unsigned char)(v >> bits);
		}
	}
	return (ptrdiff_t)n;
}

struct name
name_of(struct slice s)
{
	struct name name = { "" };

	snprintf(name.s, sizeof(name.s), "%.*s", SLICE_ARG(s));
	return name;
}

static void
put_le64(unsigned char *p, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t
get_le64(const unsigned char *p)
{
	uint64_t v = 0;

	for (unsigned i = 8; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

struct name
name_number(const char *prefix, uint64_t id)
{
	struct name name = { "" };
	unsigned char bytes[8];
	size_t n = strlen(prefix);

	put_le64(bytes, id);
	memcpy(name.s, prefix, n);
	base64_encode(bytes, sizeof(bytes), true, name.s + n);
	return name;
}

uint64_t
name_user(struct slice s)
{
	unsigned char bytes[8];

	if (!slice_has_prefix(s, SLICE("usr")))
		return 0;
	return base64_decode((struct slice){ s.p + 3, s.n - 3 }, bytes, sizeof(bytes)) == sizeof(bytes) ? get_le64(bytes) : 0;
}

struct name
name_p2p(uint64_t a, uint64_t b)
{
	struct name name = { "p2p" };
	unsigned char bytes[16];

	put_le64(bytes, a < b ? a : b);
	put_le64(bytes + 8, a < b ? b : a);
	base64_encode(bytes, sizeof(bytes), true, name.s + 3);
	return name;
}

uint64_t
name_p2p_other(const char *p2p, uint64_t own)
{
	unsigned char bytes[16];
	uint64_t a, b;

	if (base64_decode(slice_of(p2p + 3), bytes, sizeof(bytes)) != sizeof(bytes))
		return 0;
	a = get_le64(bytes);
	b = get_le64(bytes + 8);
	return own == a ? b : own == b ? a : 0;
}

bool
api_key_valid(struct slice key)
{
	static const char salt_text[] = "T713/rYYgW7g4m3vG6zGRh7+FM1t0T8j13koXScOAj4=";
	unsigned char bytes[API_KEY_BYTES], salt[SECRET_BYTES], mac[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (base64_decode(key, bytes, sizeof(bytes)) != sizeof(bytes) || bytes[0] != 1)
		return false;
	base64_decode(slice_of(salt_text), salt, sizeof(salt));
	HMAC(EVP_md5(), salt, sizeof(salt), bytes, API_KEY_SIGNED, mac, &n);
	return n == sizeof(bytes) - API_KEY_SIGNED && memcmp(mac, bytes + API_KEY_SIGNED, n) == 0;
}

void
token_make(const unsigned char secret[SECRET_BYTES], uint64_t uid, uint32_t expires, unsigned char ret[TOKEN_BYTES])
{
	unsigned n = 0;

	put_le64(ret, uid);
	for (unsigned i = 0; i < 4; i++)
		ret[8 + i] = (unsigned char)(expires >> (8 * i));
	/* level, serial number, features */
	memcpy(ret + 12, (const unsigned char[]){ LEVEL_AUTH, 0, 1, 0, 1, 0 }, 6);
	HMAC(EVP_sha256(), secret, SECRET_BYTES, ret, 18, ret + 18, &n);
}

uint64_t
token_user(const unsigned char secret[SECRET_BYTES], struct slice token, int64_t now_s)
{
	unsigned char good[TOKEN_BYTES];
	const unsigned char *p = (const unsigned char *)token.p;
	uint32_t expires;
	uint64_t uid;

	if (token.n != TOKEN_BYTES)
		return 0;
	uid = get_le64(p);
	expires = (uint32_t)p[8] | (uint32_t)p[9] << 8 | (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
	token_make(secret, uid, expires, good);
	return memcmp(good, p, TOKEN_BYTES) == 0 && expires > now_s ? uid : 0;
}

static int
point_cmp(const void *va, const void *vb)
{
	const __typeof__(((struct ring *)0)->point[0]) *a = va, *b = vb;

	CMP(a->hash, b->hash);
	CMP(a->node, b->node);
	return 0;
}

void
ring_build(struct ring *ring, const char *const *names, size_t n, uint32_t alive)
{
	ring->n = 0;
	for (uint32_t node = 0; node < n && node < RING_NODES_MAX; node++) {
		for (unsigned i = 0; i < RING_REPLICAS && (alive >> node & 1); i++) {
			char text[128];
			int len = snprintf(text, sizeof(text), "%u%s", i, names[node]);

			ring->point[ring->n].hash = (uint32_t)crc32(0, (const Bytef *)text, (uInt)len);
			ring->point[ring->n++].node = node;
		}
	}
	qsort(ring->point, ring->n, sizeof(ring->point[0]), point_cmp);
}

uint32_t
ring_node(const struct ring *ring, struct slice topic)
{
	uint32_t hash = (uint32_t)crc32(0, (const Bytef *)topic.p, (uInt)topic.n);
	size_t i;

	LOWER_BOUND(i, 0, ring->n, ring->point[i].hash < hash);
	return ring->n == 0 ? 0 : ring->point[i < ring->n ? i : 0].node;
}
