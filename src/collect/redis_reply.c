#include "config.h"

#include "collect/redis.h"

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/redact.h"

#define ARGUMENT_BYTES_MAX ((size_t)16 << 10) /* the server cuts them at 128 */

/* ------------------------------------------------------------------ INFO */

struct slice
redis_info_value(struct slice info, const char *name)
{
	struct slice key = slice_of(name);

	while (info.n > 0) {
		const char *feed = memchr(info.p, '\n', info.n);
		size_t n = feed != NULL ? (size_t)(feed - info.p) : info.n;
		struct slice line = { info.p, n - (n > 0 && info.p[n - 1] == '\r') };

		if (slice_has_prefix(line, key) && line.n > key.n && line.p[key.n] == ':')
			return (struct slice){ line.p + key.n + 1, line.n - key.n - 1 };
		n += feed != NULL;
		info = (struct slice){ info.p + n, info.n - n };
	}
	return (struct slice){ NULL, 0 };
}

/* ------------------------------------------------------------------ replies */

static bool
is_text(const redisReply *r)
{
	return r->type == REDIS_REPLY_STRING || r->type == REDIS_REPLY_STATUS;
}

static struct slice
text_of(const redisReply *r)
{
	return (struct slice){ r->str, (size_t)r->len };
}

/* Is it an array that begins with the types of `form`: 's' text, 'i' a number, 'a' an array? */
static bool
has_form(const redisReply *r, const char *form)
{
	size_t n = strlen(form);

	if (r->type != REDIS_REPLY_ARRAY || r->elements < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const redisReply *e = r->element[i];

		if (!(form[i] == 's' ? is_text(e) : e->type == (form[i] == 'i' ? REDIS_REPLY_INTEGER : REDIS_REPLY_ARRAY)))
			return false;
	}
	return true;
}

static enum imp_rc
other_form(const char *command, struct imp_err *err)
{
	return imp_err_set(err, IMP_E_DATA, "the answer to %s has another form than Redis's", command);
}

/* ------------------------------------------------------------------ SLOWLOG */

static void
write_redacted(struct jsonw *w, struct slice s)
{
	CLEANUP(buf_done) struct buf safe = BUF_INIT(4 * ARGUMENT_BYTES_MAX);

	if (s.n > ARGUMENT_BYTES_MAX)
		s.n = ARGUMENT_BYTES_MAX;
	redact_add(&safe, s);
	if (buf_part_ok(w->out, &safe))
		jsonw_text(w, safe.n > 0 ? buf_slice(&safe) : SLICE(""));
}

/* The words of a command, up to the first that a secret follows. */
static void
write_command(struct jsonw *w, const redisReply *words)
{
	jsonw_flat_array(w);
	for (size_t i = 0; i < words->elements; i++) {
		const redisReply *word = words->element[i];

		if (!is_text(word))
			continue;
		write_redacted(w, text_of(word));
		if (redact_hides_next(text_of(word)) && i + 1 < words->elements) {
			jsonw_str(w, "[redacted]");
			break;
		}
	}
	jsonw_end(w);
}

static void
write_slow_entry(struct jsonw *w, const redisReply *entry)
{
	jsonw_flat_array(w);
	for (size_t i = 0; i < 3; i++)
		jsonw_int(w, entry->element[i]->integer);
	write_command(w, entry->element[3]);
	for (size_t i = 4; i < entry->elements && i < 6; i++) /* client, its name: since 4.0 */
		if (is_text(entry->element[i]))
			write_redacted(w, text_of(entry->element[i]));
	jsonw_end(w);
}

enum imp_rc
redis_write_slowlog(struct buf *out, const redisReply *reply, uint64_t *ret_n, struct imp_err *err)
{
	struct jsonw w = JSONW_INIT(out);

	if (reply->type != REDIS_REPLY_ARRAY)
		return other_form("SLOWLOG GET", err);
	for (size_t i = 0; i < reply->elements; i++)
		if (!has_form(reply->element[i], "iiia"))
			return other_form("SLOWLOG GET", err);
	jsonw_array(&w);
	for (size_t i = 0; i < reply->elements; i++)
		write_slow_entry(&w, reply->element[i]);
	jsonw_end(&w);
	*ret_n = reply->elements;
	return buf_status(out, err);
}

/* ------------------------------------------------------------------ LATENCY */

static bool
is_history(const redisReply *h)
{
	for (size_t i = 0; h->type == REDIS_REPLY_ARRAY && i < h->elements; i++)
		if (!has_form(h->element[i], "ii"))
			return false;
	return h->type == REDIS_REPLY_ARRAY;
}

static void
write_latency_event(struct jsonw *w, const redisReply *event, const redisReply *history)
{
	static const char *const names[] = { "time", "latest_ms", "max_ms" };

	jsonw_flat_object(w);
	jsonw_key(w, "event");
	jsonw_text(w, text_of(event->element[0]));
	for (size_t i = 0; i < 3; i++) {
		jsonw_key(w, names[i]);
		jsonw_int(w, event->element[i + 1]->integer);
	}
	if (history != NULL) {
		jsonw_key(w, "history");
		jsonw_array(w);
		for (size_t i = 0; i < history->elements; i++) {
			jsonw_array(w);
			jsonw_int(w, history->element[i]->element[0]->integer);
			jsonw_int(w, history->element[i]->element[1]->integer);
			jsonw_end(w);
		}
		jsonw_end(w);
	}
	jsonw_end(w);
}

enum imp_rc
redis_write_latency(struct buf *out, const redisReply *latest, redisReply *const *histories, uint64_t *ret_n, struct imp_err *err)
{
	struct jsonw w = JSONW_INIT(out);

	if (latest->type != REDIS_REPLY_ARRAY)
		return other_form("LATENCY LATEST", err);
	for (size_t i = 0; i < latest->elements; i++)
		if (!has_form(latest->element[i], "siii"))
			return other_form("LATENCY LATEST", err);
	jsonw_object(&w);
	jsonw_key(&w, "latency");
	jsonw_array(&w);
	for (size_t i = 0; i < latest->elements; i++)
		write_latency_event(&w, latest->element[i], histories[i] != NULL && is_history(histories[i]) ? histories[i] : NULL);
	jsonw_end(&w);
	jsonw_end(&w);
	*ret_n = latest->elements;
	return buf_status(out, err);
}
