#include "config.h"

#include "ingest/record.h"

#include <stdlib.h>

#include "ingest/record_text.h"

/* Stand-ins for a key, in struct record_guess and in read_key(). */
enum {
	KEY_UNKNOWN = _RECORD_KEY_MAX,
	KEY_FIRST, /* as the key before: there is none */
	KEY_END,   /* no key: the record ends here */
};

static const struct slice key_names[_RECORD_KEY_MAX] = {
#define X(k) { #k, sizeof(#k) - 1 },
	RECORD_KEYS(X)
#undef X
};

const char *
record_key_name(enum record_key k)
{
	return k < _RECORD_KEY_MAX ? key_names[k].p : "";
}

/* The slot of a name in a table of 256; at least eight bytes from `p` on must be readable. */
static uint8_t
key_hash(const char *p, size_t n)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	if (n < sizeof(v))
		v &= htole64((UINT64_C(1) << 8 * n) - 1);
	return (uint8_t)((v + n) * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static unsigned
find_key(const struct record_scanner *sc, struct slice name)
{
	for (uint8_t h = key_hash(name.p, name.n); sc->slot[h] != KEY_UNKNOWN; h++) {
		if (slice_eq(key_names[sc->slot[h]], name))
			return sc->slot[h];
	}
	return KEY_UNKNOWN;
}

void
record_scanner_init(struct record_scanner *sc)
{
	*sc = (struct record_scanner){ 0 };
	memset(sc->slot, KEY_UNKNOWN, sizeof(sc->slot));
	for (unsigned k = 0; k < _RECORD_KEY_MAX; k++) {
		char name[32] = "";
		uint8_t h;

		memcpy(name, key_names[k].p, key_names[k].n);
		for (h = key_hash(name, key_names[k].n); sc->slot[h] != KEY_UNKNOWN; h++) {
		}
		sc->slot[h] = (uint8_t)k;
	}
}

void
record_scanner_done(struct record_scanner *sc)
{
	free(sc->values.p);
	free(sc->item.p);
	*sc = (struct record_scanner){ 0 };
}

static bool
guess_fits(const struct record_guess *g, const char *p, const char *end)
{
	uint64_t v[2];

	memcpy(v, p, sizeof(v));
	return ((v[0] ^ g->text[0]) & g->mask[0]) == 0 && ((v[1] ^ g->text[1]) & g->mask[1]) == 0 &&
	    (size_t)g->n - 1 < (size_t)(end - p) && /* n == 0 wraps round: never fits */
	    (uint8_t)p[g->n] > ' ';		    /* as many spaces before the value as last time */
}

static void
learn_guess(struct record_guess *g, const char *p, size_t n, unsigned key)
{
	static const char ones[sizeof(g->mask)] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";

	if (n > sizeof(g->text))
		return;
	*g = (struct record_guess){ .n = (uint8_t)n, .key = (uint8_t)key };
	memcpy(g->text, p, n);
	memcpy(g->mask, ones, n);
}

/* From the end of the value of key `before` to the next value. At the end of the record *ret_key is KEY_END, the position its brace. */
static const char *
read_key(struct record_scanner *sc, struct record_text *t, const char *start, unsigned before, unsigned *ret_key)
{
	size_t kept = sc->values.n;
	struct slice name;
	const char *p = record_skip_space(t, start);

	if (record_byte(t, p) == '}') {
		*ret_key = KEY_END;
		return p;
	}
	if (before != KEY_FIRST) {
		if (record_byte(t, p) != ',')
			return record_stop(t, p);
		p = record_skip_space(t, p + 1);
	}
	p = record_read_name(t, p, &name);
	if (p == NULL)
		return NULL;
	*ret_key = find_key(sc, name);
	if (sc->values.n == kept) /* nothing to decode, nothing to repair */
		learn_guess(&sc->guess[before], start, (size_t)(p - start), *ret_key);
	sc->values.n = kept;
	return p;
}

static bool
same_value(const struct record_value *a, const struct record_value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case REC_INT:
	case REC_BOOL:
		return a->i == b->i;
	case REC_REAL:
		return a->d == b->d;
	default:
		return slice_eq(a->s, b->s);
	}
}

static const char *
read_again(struct record_text *t, const char *p, unsigned key, struct record *rec)
{
	struct record_value value;

	p = record_read_value(t, p, &value);
	if (p == NULL)
		return NULL;
	if (key == KEY_UNKNOWN)
		rec->unknown_keys++;
	else if (!same_value(&rec->v[key], &value))
		rec->clash |= RECORD_BIT(key);
	return p;
}

/* NULL when it stopped. */
static const char *
read_members(struct record_scanner *sc, struct record_text *t, const char *p, struct record *rec)
{
	unsigned key, before = KEY_FIRST;
	record_mask has = 0;

	do {
		const struct record_guess *g = &sc->guess[before];

		if (guess_fits(g, p, t->end)) {
			p += g->n;
			key = g->key;
		} else {
			p = read_key(sc, t, p, before, &key);
			if (p == NULL || key == KEY_END)
				break;
		}
		if (key != KEY_UNKNOWN && !(has & RECORD_BIT(key))) {
			has |= RECORD_BIT(key);
			p = record_read_value(t, p, &rec->v[key]);
		} else {
			p = read_again(t, p, key, rec);
		}
		before = key;
	} while (p != NULL && record_byte(t, p) != '}');
	rec->has = has;
	return p;
}

enum record_rc
record_scan(struct record_scanner *sc, struct slice text, struct record *ret, size_t *ret_end)
{
	struct record_text t = { .end = text.p + text.n, .scratch = &sc->values };
	const char *p;

	sc->values.n = 0;
	ret->clash = 0;
	ret->unknown_keys = 0;
	if (record_byte(&t, text.p) == '{')
		p = read_members(sc, &t, text.p + 1, ret);
	else
		p = record_stop(&t, text.p);
	ret->fixed_text = t.fixed_text;
	ret->not_measured = t.not_measured;
	*ret_end = (size_t)((p != NULL ? p + 1 : t.stop) - text.p);
	if (p != NULL)
		return RECORD_OK;
	return t.nomem ? RECORD_NOMEM : t.stop == t.end ? RECORD_TORN : RECORD_BAD;
}

bool
record_next_string(struct record_scanner *sc, struct slice array, size_t *pos, struct slice *ret, bool *ret_ok)
{
	struct record_text t = { .end = array.p + array.n, .scratch = &sc->item };
	const char *p = record_skip_space(&t, array.p + *pos);
	bool first = *pos == 0;

	sc->item.n = 0;
	*ret_ok = false;
	if (first) {
		if (record_byte(&t, p) != '[')
			return false;
		p = record_skip_space(&t, p + 1);
	}
	if (record_byte(&t, p) == ']') {
		*ret_ok = p + 1 == t.end;
		return false;
	}
	if (!first) {
		if (record_byte(&t, p) != ',')
			return false;
		p = record_skip_space(&t, p + 1);
	}
	if (record_byte(&t, p) != '"')
		return false;
	p = record_read_string(&t, p, ret);
	if (p == NULL)
		return false;
	*pos = (size_t)(p - array.p);
	*ret_ok = true;
	return true;
}
