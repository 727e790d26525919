#include "config.h"

#include "base/redact.h"

#include <ctype.h>
#include <strings.h>

#include "base/cleanup.h"

/* Secrets are found by the characters that lead up to them, one pass from left to right: `:` and `=` behind a name, `://` and `@`
 * around a password, a blank behind `Bearer`, the dashes of PEM. A pass that hid something is followed by another one, because
 * what ended a value may be gone with its neighbour: in the end nothing is left to hide, and doing it all again changes nothing.
 * Every border is an ASCII character, so no character is split. */

#define MARK "[redacted]"
#define NAME_BYTES 64 /* of a name its end is enough */

struct span {
	size_t from, to; /* from == to: no secret here */
};

struct scan {
	struct slice s;
	size_t start; /* behind the last secret; nothing before it is looked at again */
	size_t colon; /* behind the first `:` of this word, 0 when it has none yet */
};

static bool
is_at(struct slice s, size_t i, struct slice what)
{
	return i <= s.n && slice_has_prefix((struct slice){ s.p + i, s.n - i }, what);
}

/* Is the byte at `i` one of `set`? */
static bool
is_one_of(struct slice s, size_t i, struct slice set)
{
	return i < s.n && memchr(set.p, s.p[i], set.n) != NULL;
}

static bool
is_blank(struct slice s, size_t i)
{
	return is_one_of(s, i, SLICE(" \t\n\v\f\r"));
}

static bool
is_quote(struct slice s, size_t i)
{
	return is_one_of(s, i, SLICE("\"'`"));
}

static bool
is_name_char(struct slice s, size_t i)
{
	return i < s.n && (isalnum((unsigned char)s.p[i]) || memchr("_-.", s.p[i], 3) != NULL);
}

static size_t
count_slashes(struct slice s, size_t i)
{
	size_t n = 0;

	while (is_one_of(s, i + n, SLICE("\\")))
		n++;
	return n;
}

/* ------------------------------------------------------------------ names */

/* The name that ends at `end`, at most NAME_BYTES of it. */
static struct slice
name_ending(struct slice s, size_t start, size_t end)
{
	size_t i = end;

	while (i > start && end - i < NAME_BYTES && is_name_char(s, i - 1))
		i--;
	return (struct slice){ s.p + i, end - i };
}

/* The name before the separator at `i`, out of its quotes, which may be escaped. */
static struct slice
name_before(struct slice s, size_t start, size_t i)
{
	while (i > start && is_one_of(s, i - 1, SLICE(" \t")))
		i--;
	if (i > start && is_quote(s, i - 1)) {
		i--;
		while (i > start && s.p[i - 1] == '\\')
			i--;
	}
	return name_ending(s, start, i);
}

/* X-Tinode-APIKey, aws_secret_access_key, client.secret2: told by the end of the name, whatever its words are joined with. */
static bool
names_secret(struct slice name)
{
	static const char *const ends[] = { "password", "passwords", "passwd", "passphrase", "pwd", "secret", "secrets", "token",
		"credential", "credentials", "authorization", "cookie", "apikey", "apikeysalt", "accesskey", "secretkey",
		"privatekey", "encryptionkey", "signingkey", "sharedkey", "authkey", "uidkey", "requirepass", "masterauth" };
	char folded[NAME_BYTES];
	struct slice key = { folded, 0 };

	while (name.n > 0 && isdigit((unsigned char)name.p[name.n - 1]))
		name.n--;
	for (size_t i = 0; i < name.n; i++)
		if (isalnum((unsigned char)name.p[i]))
			folded[key.n++] = (char)tolower((unsigned char)name.p[i]);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (slice_has_suffix(key, slice_of(ends[i])))
			return true;
	return slice_eq(key, SLICE("pass"));
}

static bool
ends_with_word(struct slice name, const char *word)
{
	struct slice w = slice_of(word);

	return name.n >= w.n && strncasecmp(name.p + name.n - w.n, w.p, w.n) == 0;
}

/* ------------------------------------------------------------------ values */

/* Where a string ends that was opened with `quote` behind `level` backslashes. JSON within JSON doubles backslashes and adds one:
 * inside such a string a run of m of them before a quote is written as m * (level + 1) + level, and an even m closes it. Fewer
 * close the text around it, which was cut; so does Tinode's mark of a frame cut at 512 bytes. */
static size_t
quoted_end(struct slice s, size_t i, char quote, size_t level)
{
	size_t slashes = 0;

	for (; i < s.n && s.p[i] != '\n'; i++) {
		if (s.p[i] == '\\') {
			slashes++;
			continue;
		}
		if (s.p[i] == quote && slashes < level)
			return i - slashes;
		if (s.p[i] == quote && (slashes - level) % (2 * (level + 1)) == 0) {
			if (quote != '\'' || !is_at(s, i + 1, SLICE("'")))
				return i - level;
			i++; /* SQL doubles it */
		}
		if (is_at(s, i, SLICE("<...>'")) || (slashes > 0 && is_at(s, i, SLICE("u003c...\\"))))
			return i - slashes;
		slashes = 0;
	}
	return i;
}

/* After a `,`, `;` or `&`: does something else begin? */
static bool
is_next_pair(struct slice s, size_t i)
{
	size_t n = 0;

	while (n < NAME_BYTES && is_name_char(s, i + n))
		n++;
	return n > 0 && is_one_of(s, i + n, SLICE("=:"));
}

static size_t
bare_end(struct slice s, size_t i)
{
	for (; i < s.n; i++) {
		bool last = i + 1 == s.n || is_blank(s, i + 1) || is_quote(s, i + 1) || is_one_of(s, i + 1, SLICE(")]}>,;\\"));

		if (is_at(s, i, SLICE(MARK))) {
			i += sizeof(MARK) - 2;
			continue;
		}
		if (is_blank(s, i) || is_quote(s, i) || s.p[i] == '<')
			break;
		if (s.p[i] == '\\' && (is_one_of(s, i + 1, SLICE("\"'nrt\\")) || is_at(s, i + 1, SLICE("u00"))))
			break;
		if (is_one_of(s, i, SLICE(")]}>")) && last)
			break;
		if (is_one_of(s, i, SLICE(",;&")) && (last || is_next_pair(s, i + 1)))
			break;
	}
	return i;
}

/* Behind the `]` of the list that begins at `i`. */
static size_t
list_end(struct slice s, size_t i)
{
	while (i < s.n && s.p[i] != '\n' && s.p[i] != ']') {
		size_t level = count_slashes(s, i);

		i += level;
		if (is_quote(s, i)) {
			i = quoted_end(s, i + 1, s.p[i], level);
			i += count_slashes(s, i);
		}
		if (i < s.n && s.p[i] != '\n')
			i++;
	}
	return i < s.n && s.p[i] == ']' ? i + 1 : i;
}

/* What a field holds that says whether there is a secret, not which. */
static bool
is_plain_word(struct slice v)
{
	static const char *const words[] = { "true", "false", "null", "nil", "none", "yes", "no" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (v.n == strlen(words[i]) && ends_with_word(v, words[i]))
			return true;
	return false;
}

/* An object is left to the names in it; `{geheim}` is a value. */
static bool
is_object(struct slice s, size_t i)
{
	return is_at(s, i, SLICE("{")) &&
	    (i + 1 == s.n || is_blank(s, i + 1) || is_quote(s, i + 1) || is_one_of(s, i + 1, SLICE("\\}")));
}

/* The value behind a separator that ends at `i`. */
static struct span
value_at(struct slice s, size_t i)
{
	struct span v;
	size_t level;

	while (is_one_of(s, i, SLICE("=>: \t")))
		i++;
	level = count_slashes(s, i);
	if (is_quote(s, i + level)) {
		v.from = i + level + 1;
		v.to = quoted_end(s, v.from, s.p[i + level], level);
		return v;
	}
	v = (struct span){ i, i };
	if (is_at(s, i, SLICE("[")))
		v.to = bare_end(s, list_end(s, i));
	else if (!is_object(s, i))
		v.to = bare_end(s, i);
	if (is_plain_word((struct slice){ s.p + v.from, v.to - v.from }))
		v.to = v.from;
	return v;
}

/* `Authorization: Bearer x`, `Cookie: a=b; c=d`: one word behind the common schemes, else the rest of the line. */
static struct span
header_at(struct slice s, size_t i)
{
	static const char *const schemes[] = { "basic", "bearer", "token", "negotiate", "ntlm", "apikey" };
	struct span v = { i, i };

	while (is_name_char(s, v.to))
		v.to++;
	for (size_t k = 0; k < sizeof(schemes) / sizeof(schemes[0]); k++)
		if (v.to - i == strlen(schemes[k]) && strncasecmp(s.p + i, schemes[k], v.to - i) == 0 && is_at(s, v.to, SLICE(" ")))
			return value_at(s, v.to);
	if (is_at(s, i, SLICE(MARK)) || is_quote(s, i + count_slashes(s, i)))
		return value_at(s, i);
	for (v.to = i; v.to < s.n && !is_one_of(s, v.to, SLICE("\r\n")); v.to++)
		if (s.p[v.to] == '\\' && is_one_of(s, v.to + 1, SLICE("nr")))
			break;
	return v;
}

/* ------------------------------------------------------------------ what leads up to a secret */

/* `:` or `=` at `i`. */
static struct span
after_separator(struct slice s, size_t start, size_t i)
{
	struct slice name = name_before(s, start, i);

	if (!names_secret(name))
		return (struct span){ i, i };
	if (is_at(s, i, SLICE(": ")) && (ends_with_word(name, "authorization") || ends_with_word(name, "cookie")))
		return header_at(s, i + 2);
	return value_at(s, i + 1);
}

static bool
all_digits(struct slice s, size_t from, size_t to)
{
	while (from < to && isdigit((unsigned char)s.p[from]))
		from++;
	return from == to;
}

/* `://` at `i`: a password between the first colon and the last `@`. A slash is no end of it when no port stands before that. */
static struct span
in_url(struct slice s, size_t i)
{
	struct span v = { i, i };
	size_t colon = 0;

	for (i += 3; i < s.n && !is_blank(s, i) && !is_quote(s, i) && !is_one_of(s, i, SLICE("<>\\")); i++) {
		if (is_at(s, i, SLICE("://")))
			break;
		if (s.p[i] == ':' && colon == 0)
			colon = i;
		else if (s.p[i] == '@' && colon > 0)
			v = (struct span){ colon + 1, i };
		else if (is_one_of(s, i, SLICE("/?#")) && (colon == 0 || v.to > v.from || all_digits(s, colon + 1, i)))
			break;
	}
	return v;
}

/* The `@` of user:password@tcp(host:3306)/db, the network left out or not. */
static struct span
in_dsn(const struct scan *c, size_t i)
{
	size_t net = i + 1;

	while (net - i < NAME_BYTES && is_name_char(c->s, net))
		net++;
	if (c->colon == 0 || !(is_at(c->s, net, SLICE("(")) || is_at(c->s, i + 1, SLICE("/"))))
		return (struct span){ i, i };
	return (struct span){ c->colon, i };
}

/* `Bearer x` anywhere, when x is no plain word: `basic authentication` is prose. */
static struct span
credential_at(struct slice s, size_t i)
{
	struct span v = { i, i };
	bool odd = false;

	if (is_at(s, i, SLICE(MARK)))
		return (struct span){ i, i + sizeof(MARK) - 1 };
	while (is_name_char(s, v.to) || is_one_of(s, v.to, SLICE("~+/="))) {
		odd = odd || isdigit((unsigned char)s.p[v.to]) || is_one_of(s, v.to, SLICE("_="));
		odd = odd || (v.to > i && isupper((unsigned char)s.p[v.to]));
		v.to++;
	}
	return odd && v.to - i >= 6 ? v : (struct span){ i, i };
}

/* A blank at `i`, behind a scheme, a command-line option or a statement. */
static struct span
after_blank(struct slice s, size_t start, size_t i)
{
	struct slice word = name_ending(s, start, i);
	struct slice before = { s.p + start, (size_t)(word.p - s.p) - start };

	if ((word.n == 6 && ends_with_word(word, "bearer")) || (word.n == 5 && ends_with_word(word, "basic")))
		return credential_at(s, i + 1);
	if ((slice_has_prefix(word, SLICE("--")) && names_secret(word)) || ends_with_word(word, "requirepass") ||
	    ends_with_word(word, "masterauth") || (ends_with_word(word, "by") && ends_with_word(before, "identified ")))
		return value_at(s, i + 1);
	return (struct span){ i, i };
}

/* What lies between the lines of a private key; to the end of the text when its last line is missing. */
static struct span
in_pem(struct slice s, size_t i)
{
	static const struct slice begin = { "-----BEGIN ", 11 }, key = { "PRIVATE KEY-----", 16 }, end = { "-----END ", 9 };
	struct span v = { i, i };

	if (!is_at(s, i, begin))
		return v;
	for (size_t limit = i + NAME_BYTES; i < limit && (is_name_char(s, i) || is_at(s, i, SLICE(" "))); i++) {
		if (!is_at(s, i, key))
			continue;
		v.from = v.to = i + key.n;
		while (v.to < s.n && !is_at(s, v.to, end))
			v.to++;
		break;
	}
	return v;
}

static struct span
secret_at(const struct scan *c, size_t i)
{
	struct span v = { i, i };

	switch (c->s.p[i]) {
	case ':':
		if (is_at(c->s, i, SLICE("://")))
			v = in_url(c->s, i);
		return v.to > v.from ? v : after_separator(c->s, c->start, i);
	case '=':
		return after_separator(c->s, c->start, i);
	case '@':
		return in_dsn(c, i);
	case ' ':
		return after_blank(c->s, c->start, i);
	case '-':
		return in_pem(c->s, i);
	default:
		return v;
	}
}

/* One pass. Was anything hidden that was not before? */
static bool
add_pass(struct buf *out, struct slice s)
{
	struct scan c = { .s = s };
	bool hidden = false;

	for (size_t i = 0; i < s.n; i++) {
		struct span v = secret_at(&c, i);

		if (v.to > v.from) {
			buf_add(out, s.p + c.start, v.from - c.start);
			buf_add_str(out, MARK);
			hidden = hidden || !slice_eq((struct slice){ s.p + v.from, v.to - v.from }, SLICE(MARK));
			c.start = v.to;
			i = v.to - 1;
			c.colon = 0;
		} else if (is_blank(s, i) || is_quote(s, i)) {
			c.colon = 0;
		} else if (s.p[i] == ':' && c.colon == 0) {
			c.colon = i + 1;
		}
	}
	buf_add(out, s.p + c.start, s.n - c.start);
	return hidden;
}

void
redact_add(struct buf *out, struct slice s)
{
	CLEANUP(buf_done) struct buf last = BUF_INIT(out->max);
	size_t from = out->n;
	bool hidden = add_pass(out, s);

	while (hidden && buf_status(out, NULL) == IMP_OK) {
		buf_clear(&last);
		buf_add(&last, out->p + from, out->n - from);
		if (!buf_part_ok(out, &last))
			return;
		buf_truncate(out, from);
		hidden = add_pass(out, buf_slice(&last));
	}
}

bool
redact_hides_next(struct slice word)
{
	static const char *const commands[] = { "auth", "auth2", "setuser", "auth-pass", "auth-user" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (word.n == strlen(commands[i]) && ends_with_word(word, commands[i]))
			return true;
	return names_secret(name_ending(word, 0, word.n));
}
