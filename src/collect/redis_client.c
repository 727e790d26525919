#include "config.h"

#include "collect/redis.h"

#include <stdlib.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/time.h"

#define RECEIVE_BYTES 16384

struct redis_link {
	const struct redis_settings *settings;
	const volatile sig_atomic_t *stop;
	struct redis_wire wire;
	redisReader *reader;		/* NULL: not connected */
	redisReplyObjectFunctions make; /* of the reader */
};

void
redis_answer_done(struct redis_answer *a)
{
	if (a->reply != NULL)
		freeReplyObject(a->reply);
	a->reply = NULL;
}

enum imp_rc
redis_link_new(const struct redis_settings *settings, const volatile sig_atomic_t *stop, struct redis_link **ret,
    struct imp_err *err)
{
	struct redis_link *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	l->settings = settings;
	l->stop = stop;
	l->wire = (struct redis_wire){ .fd = -1, .stop = stop };
	*ret = l;
	return IMP_OK;
}

static void
disconnect(struct redis_link *l)
{
	if (l->reader != NULL)
		redisReaderFree(l->reader);
	l->reader = NULL;
	redis_wire_close(&l->wire);
}

void
redis_link_free(struct redis_link *l)
{
	if (l == NULL)
		return;
	disconnect(l);
	free(l);
}

/* ------------------------------------------------------------------ replies */

/* hiredis allocates an array by the count that the server claims: no more than that many here. */
static void *
make_array(const redisReadTask *task, int elements)
{
	const redisReplyObjectFunctions *hiredis = task->privdata;

	return elements <= REDIS_ELEMENTS_MAX ? hiredis->createArray(task, elements) : NULL;
}

redisReader *
redis_reader_new(redisReplyObjectFunctions *make)
{
	redisReader *reader = redisReaderCreate();

	if (reader == NULL)
		return NULL;
	*make = *reader->fn;
	make->createArray = make_array;
	reader->privdata = reader->fn;
	reader->fn = make;
	return reader;
}

static enum imp_rc
receive_reply(struct redis_link *l, int64_t deadline, redisReply **ret, struct imp_err *err)
{
	char bytes[RECEIVE_BYTES];
	uint64_t total = 0;
	void *reply = NULL;

	for (;;) {
		size_t n;
		enum imp_rc rc;

		if (redisReaderGetReply(l->reader, &reply) != REDIS_OK)
			return imp_err_set(err, IMP_E_UNAVAILABLE, "the answer is not Redis's: %s", l->reader->errstr);
		if (reply != NULL) {
			*ret = reply;
			return IMP_OK;
		}
		rc = redis_wire_receive(&l->wire, bytes, sizeof(bytes), deadline, &n, err);
		if (rc != IMP_OK)
			return rc;
		total += n;
		if (total > l->settings->limits.bytes_max)
			return imp_err_set(err, IMP_E_LIMIT, "the answer has more than %llu bytes (bytes_max)",
			    (unsigned long long)l->settings->limits.bytes_max);
		if (redisReaderFeed(l->reader, bytes, n) != REDIS_OK)
			return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	}
}

/* One command, one reply, on the connection there is. */
static enum imp_rc
exchange(struct redis_link *l, const char *const *words, int64_t deadline, redisReply **ret, struct imp_err *err)
{
	const char *argv[REDIS_ARGS_MAX];
	char *text = NULL;
	int argc = 0, n;
	enum imp_rc rc;

	while (words[argc] != NULL && argc < REDIS_ARGS_MAX) {
		argv[argc] = words[argc];
		argc++;
	}
	n = redisFormatCommandArgv(&text, argc, argv, NULL);
	if (n < 0)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	rc = redis_wire_send(&l->wire, (struct slice){ text, (size_t)n }, deadline, err);
	explicit_bzero(text, (size_t)n); /* it may be AUTH */
	redisFreeCommand(text);
	return rc == IMP_OK ? receive_reply(l, deadline, ret, err) : rc;
}

/* ------------------------------------------------------------------ what an error reply means */

/* Servers answer so while they start, fail over or run a script: it may be better in a moment. */
static bool
is_passing(const redisReply *r)
{
	static const char *const codes[] = { "LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN" };

	for (size_t i = 0; r->type == REDIS_REPLY_ERROR && i < sizeof(codes) / sizeof(codes[0]); i++) {
		size_t n = strlen(codes[i]);

		if (r->len >= n && memcmp(r->str, codes[i], n) == 0 && (r->len == n || r->str[n] == ' '))
			return true;
	}
	return false;
}

/* The account may not, or this variant of the server has it not. */
static bool
is_denial(const redisReply *r)
{
	return strncmp(r->str, "NOPERM", 6) == 0 || strncasecmp(r->str, "ERR unknown", 11) == 0 ||
	    strncasecmp(r->str, "ERR command not allowed", 23) == 0 || strncasecmp(r->str, "ERR unsupported", 15) == 0 ||
	    strncasecmp(r->str, "ERR this command is not", 23) == 0 || strcasestr(r->str, "not supported") != NULL;
}

/* What the server thinks of AUTH. Some servers repeat the arguments of a command that they do not know: of the text no more than
 * its first word may be shown. */
static enum imp_rc
check_auth(const redisReply *r, struct imp_err *err)
{
	int word;

	if (r->type != REDIS_REPLY_ERROR)
		return IMP_OK;
	word = (int)strcspn(r->str, " ");
	imp_err_set(err, IMP_E_UNAVAILABLE, "the user or password is refused (%.*s)", word < 32 ? word : 32, r->str);
	imp_err_hint(err, "check `user` and `password` of this instance; a server without ACLs (before 6.0) takes no `user`");
	return IMP_E_UNAVAILABLE;
}

static enum imp_rc
authenticate(struct redis_link *l, int64_t deadline, bool *ret_refused, struct imp_err *err)
{
	const struct redis_settings *s = l->settings;
	const char *both[] = { "AUTH", s->user, s->password.p, NULL }, *alone[] = { "AUTH", s->password.p, NULL };
	CLEANUP(redis_answer_done) struct redis_answer a = { .reply = NULL };
	enum imp_rc rc;

	if (s->password.p == NULL)
		return IMP_OK;
	rc = exchange(l, s->user != NULL ? both : alone, deadline, &a.reply, err);
	if (rc == IMP_OK && !is_passing(a.reply)) {
		rc = check_auth(a.reply, err);
		*ret_refused = rc != IMP_OK;
	}
	return rc;
}

/* ------------------------------------------------------------------ asking */

static enum imp_rc
ask_once(struct redis_link *l, const char *const *words, int64_t deadline, redisReply **ret, bool *ret_refused, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (l->reader == NULL) {
		l->reader = redis_reader_new(&l->make);
		if (l->reader == NULL)
			return imp_err_set(err, IMP_E_NOMEM, "out of memory");
		rc = redis_wire_open(&l->wire, l->settings, deadline, err);
		if (rc == IMP_OK)
			rc = authenticate(l, deadline, ret_refused, err);
	}
	if (rc == IMP_OK)
		rc = exchange(l, words, deadline, ret, err);
	if (rc != IMP_OK)
		disconnect(l); /* what is under way there belongs to nobody any more */
	return rc;
}

static enum asked_status
status_of(enum imp_rc rc, const redisReply *r, bool refused, int64_t deadline)
{
	if (rc == IMP_E_LIMIT)
		return ASKED_LIMITED;
	if (rc != IMP_OK)
		return refused ? ASKED_DENIED : redis_wire_timed_out(deadline) ? ASKED_TIMEOUT : ASKED_UNREACHABLE;
	if (r->type != REDIS_REPLY_ERROR)
		return ASKED_OK;
	return is_denial(r) ? ASKED_DENIED : ASKED_FAILED;
}

enum imp_rc
redis_ask(struct redis_link *l, const char *const *command, struct redis_answer *ret, struct imp_err *err)
{
	struct retry r = retry_begin(&l->settings->limits, l->stop);
	struct redis_answer a = { .from = time_now() };
	int64_t begin = time_monotonic(), deadline;
	bool refused = false;
	enum imp_rc rc;

	do {
		redis_answer_done(&a);
		deadline = time_monotonic() + retry_timeout_ms(&r) * 1000000;
		rc = ask_once(l, command, deadline, &a.reply, &refused, err);
		a.status = status_of(rc, a.reply, refused, deadline);
	} while ((rc == IMP_OK ? is_passing(a.reply) : rc == IMP_E_UNAVAILABLE && !refused) && retry_again(&r));
	if (rc != IMP_OK) {
		imp_err_wrap(err, "redis '%s' at %s", l->settings->source, l->settings->at.address);
		if (rc == IMP_E_UNAVAILABLE && err != NULL && err->hint[0] == '\0')
			imp_err_hint(err, "asked %u times; check the address, that the server runs, and `timeout`", r.tries);
	}
	a.ns = time_monotonic() - begin;
	a.tries = r.tries;
	*ret = a;
	return rc;
}
