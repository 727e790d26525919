#include "config.h"

#include "collect/mysql.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/redact.h"
#include "base/time.h"

#define ERROR_BYTES_MAX 4096

enum { LETTER_MID, LETTER_TOPIC, LETTER_TIME, LETTER_ERROR, LETTER_CODE, LETTER_KAFKA_TOPIC, LETTER_STATE };

static int64_t
whole_number(struct slice s)
{
	char digits[24], *end;
	long long v;

	if (s.n == 0 || s.n >= sizeof(digits))
		return DEAD_NO_CODE;
	memcpy(digits, s.p, s.n);
	digits[s.n] = '\0';
	errno = 0;
	v = strtoll(digits, &end, 10);
	return errno == 0 && *end == '\0' ? v : DEAD_NO_CODE;
}

/* The number behind "Error " or "ERROR ", as drivers write it: Error 1264 (22003): Out of range value. */
static int64_t
number_of_error(struct slice text)
{
	static const char word[] = "error ";

	for (size_t i = 0; i + sizeof(word) - 1 < text.n; i++) {
		struct slice digits = { text.p + i + sizeof(word) - 1, 0 };

		if (strncasecmp(text.p + i, word, sizeof(word) - 1) != 0)
			continue;
		while (digits.p + digits.n < text.p + text.n && isdigit((unsigned char)digits.p[digits.n]))
			digits.n++;
		if (digits.n > 0)
			return whole_number(digits);
	}
	return DEAD_NO_CODE;
}

static bool
is_replayed(const struct mysql_source *of, struct slice state)
{
	for (const char *const *v = of->replayed; state.p != NULL && *v != NULL; v++)
		if (slice_eq(state, slice_of(*v)))
			return true;
	return false;
}

static enum imp_rc
take_letter(struct mysql_look *l, const struct mysql_result *r, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf error = BUF_INIT(4 * ERROR_BYTES_MAX);
	struct slice time = mysql_get(r, LETTER_TIME), text = mysql_get(r, LETTER_ERROR), code = mysql_get(r, LETTER_CODE);
	struct dead_letter d = {
		.t = time.p != NULL ? mysql_time(time, l->zone_s) : INT64_MIN,
		.mid = mysql_get(r, LETTER_MID),
		.topic = mysql_get(r, LETTER_TOPIC),
		.kafka_topic = mysql_get(r, LETTER_KAFKA_TOPIC),
		.replayed = is_replayed(l->table->of, mysql_get(r, LETTER_STATE)),
	};
	enum imp_rc rc;

	if (!mysql_is_wanted(l, d.mid))
		return IMP_OK;
	if (d.t == INT64_MIN)
		d.t = l->t;
	text.n = text.n < ERROR_BYTES_MAX ? text.n : ERROR_BYTES_MAX;
	redact_add(&error, text.p != NULL ? text : SLICE("not said"));
	rc = buf_status(&error, err);
	if (rc != IMP_OK)
		return rc;
	d.error = buf_slice(&error);
	d.code = code.p != NULL ? whole_number(code) : number_of_error(text);
	buf_clear(&l->line);
	rc = dead_tally_line(l->job->deads, &d, &l->line, err);
	if (rc == IMP_OK)
		rc = outfile_add(l->out, buf_slice(&l->line), err);
	l->count += rc == IMP_OK;
	return rc;
}

static enum imp_rc
find_letters(struct mysql_look *l, struct imp_err *err)
{
	enum imp_rc rc = mysql_choose(l, err);

	if (rc == IMP_OK)
		rc = mysql_each_mid(l, take_letter, err);
	return rc == IMP_OK ? mysql_check_replica(l, err) : rc;
}

enum imp_rc
mysql_letters(struct mysql_look *l, struct imp_err *err)
{
	return mysql_look_up(l, "dead letters in", find_letters, NULL, err);
}
