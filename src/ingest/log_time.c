#include "config.h"

#include "ingest/log_time.h"

#include "base/time.h"
#include "ingest/rfc3339.h"

#define DAY_S INT64_C(86400)
#define YEAR_S INT64_C(31556952)
#define CIVIL_LEN ((size_t)19) /* YYYY-MM-DDThh:mm:ss */
#define BRACKET_MAX 32	       /* bytes of a name in brackets before the time */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
has_digits(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(p[i]))
			return false;
	}
	return true;
}

static struct slice
from(struct slice s, size_t n)
{
	return (struct slice){ s.p + n, s.n - n };
}

/* The second of `p`, CIVIL_LEN bytes whose digits and separators may be anything. */
static bool
civil(struct log_clock *c, const char *p, int64_t *ret_s)
{
	char utc[CIVIL_LEN + 1];
	int64_t ns;

	if (memcmp(c->text, p, CIVIL_LEN) == 0) {
		*ret_s = c->second;
		return true;
	}
	memcpy(utc, p, CIVIL_LEN);
	utc[4] = utc[7] = '-';
	utc[10] = 'T';
	utc[CIVIL_LEN] = 'Z';
	if (!rfc3339_parse((struct slice){ utc, sizeof(utc) }, &ns) || !time_fits(ns))
		return false;
	memcpy(c->text, p, CIVIL_LEN);
	*ret_s = c->second = (ns - (ns % NS_PER_S + NS_PER_S) % NS_PER_S) / NS_PER_S;
	return true;
}

/* Digits behind a point or comma at the start of `s`; *ret_end behind them. */
static void
fraction(struct slice s, size_t *ret_end, struct log_time *t)
{
	int64_t unit = NS_PER_S / 10;
	size_t i = 1;

	*ret_end = 0;
	if (s.n < 2 || (s.p[0] != '.' && s.p[0] != ',') || !is_digit(s.p[1]))
		return;
	for (; i < s.n && is_digit(s.p[i]); i++, unit /= 10)
		t->ns += (s.p[i] - '0') * unit;
	t->fine = true;
	*ret_end = i;
}

/* Z, +hh:mm or +hhmm at the start of `s`: bytes, 0 for none. */
static size_t
zone(struct slice s, int64_t *ret_s)
{
	size_t colon;
	int64_t h, m;

	*ret_s = 0;
	if (s.n > 0 && (s.p[0] == 'Z' || s.p[0] == 'z'))
		return 1;
	if (s.n < 5 || (s.p[0] != '+' && s.p[0] != '-') || !has_digits(s.p + 1, 2))
		return 0;
	colon = s.p[3] == ':';
	if (s.n < 5 + colon || !has_digits(s.p + 3 + colon, 2))
		return 0;
	h = (s.p[1] - '0') * 10 + s.p[2] - '0';
	m = (s.p[3 + colon] - '0') * 10 + s.p[4 + colon] - '0';
	if (h > 23 || m > 59)
		return 0;
	*ret_s = (s.p[0] == '-' ? -1 : 1) * (h * 3600 + m * 60);
	return 5 + colon;
}

static bool
is_clock(const char *p) /* hh:mm:ss */
{
	return p[2] == ':' && p[5] == ':' && is_digit(p[0]);
}

bool
log_time_read(struct log_clock *c, struct slice s, struct log_time *ret, size_t *ret_end)
{
	struct log_time t = { .kind = LOG_LOCAL };
	size_t end = CIVIL_LEN, n;
	int64_t second, offset;

	if (s.n < CIVIL_LEN || s.p[4] != '-' || s.p[7] != '-' || (s.p[10] != 'T' && s.p[10] != ' ' && s.p[10] != 't') ||
	    !is_clock(s.p + 11) || !civil(c, s.p, &second))
		return false;
	fraction(from(s, end), &n, &t);
	end += n;
	n = zone(from(s, end), &offset);
	if (n > 0) {
		t.kind = LOG_ABSOLUTE;
		second -= offset;
		end += n;
	}
	t.ns += second * NS_PER_S;
	*ret = t;
	*ret_end = end;
	return true;
}

/* Of the times `base` + k * `step` (k = -1, 0, 1) the one nearest to `near`. */
static int64_t
nearest(int64_t base, int64_t step, int64_t near)
{
	int64_t best = base;

	for (int k = -1; k <= 1; k += 2) {
		int64_t t = base + k * step, d = t - near, best_d = best - near;

		if ((d < 0 ? -d : d) < (best_d < 0 ? -best_d : best_d))
			best = t;
	}
	return best;
}

/* hh:mm:ss of the day nearest to `near`; `month_day` (MMDD) when it is written too. */
static bool
short_civil(struct log_clock *c, const char *month_day, const char *time, int64_t *ret_s)
{
	char text[CIVIL_LEN + 1] = "1970-01-01T00:00:00", key[sizeof(c->short_text)];
	size_t n = 8;
	int64_t year = 1970 + c->near / YEAR_S, best = 0;
	struct log_clock scratch = { .near = 0 };
	bool found = false;

	memcpy(key, time, 8);
	if (month_day != NULL) {
		memcpy(key + 8, month_day, 4);
		n = 12;
	}
	if (c->short_n == n && memcmp(c->short_text, key, n) == 0) {
		*ret_s = c->short_second;
		return true;
	}
	memcpy(text + 11, time, 8);
	if (month_day == NULL) {
		found = civil(&scratch, text, &best);
		best = nearest(best + c->near / DAY_S * DAY_S, DAY_S, c->near);
	} else {
		memcpy(text + 5, month_day, 2);
		memcpy(text + 8, month_day + 2, 2);
	}
	for (int64_t y = year - 1; month_day != NULL && y <= year + 1; y++) {
		int64_t t;

		for (int k = 3, rest = (int)y; k >= 0; k--, rest /= 10)
			text[k] = (char)('0' + rest % 10);
		if (!civil(&scratch, text, &t)) /* 29 February of most years */
			continue;
		if (!found || (t > c->near ? t - c->near : c->near - t) < (best > c->near ? best - c->near : c->near - best))
			best = t;
		found = true;
	}
	if (!found)
		return false;
	memcpy(c->short_text, key, n);
	c->short_n = n;
	*ret_s = c->short_second = best;
	return true;
}

/* ------------------------------------------------------------------ what programs write */

/* YYYY/MM/DD[ hh:mm:ss[.ffffff]] or hh:mm:ss[.ffffff] */
static bool
go_time(struct log_clock *c, struct slice s, struct log_time *ret)
{
	struct log_time t = { .kind = LOG_LOCAL };
	int64_t second;
	size_t n;

	if (s.n >= CIVIL_LEN && s.p[4] == '/' && s.p[7] == '/' && s.p[10] == ' ' && is_clock(s.p + 11)) {
		if (!civil(c, s.p, &second))
			return false;
		fraction(from(s, CIVIL_LEN), &n, &t);
	} else if (s.n > 10 && s.p[4] == '/' && s.p[7] == '/' && s.p[10] == ' ' && has_digits(s.p, 4) && has_digits(s.p + 5, 2) &&
	    has_digits(s.p + 8, 2)) {
		*ret = (struct log_time){ .kind = LOG_UNDATED };
		return true;
	} else if (s.n > 8 && is_clock(s.p) && (s.p[8] == ' ' || s.p[8] == '.')) {
		if (!short_civil(c, NULL, s.p, &second))
			return false;
		fraction(from(s, 8), &n, &t);
	} else {
		return false;
	}
	t.ns += second * NS_PER_S;
	*ret = t;
	return true;
}

/* mmdd hh:mm:ss.ffffff */
static bool
klog_time(struct log_clock *c, struct slice s, struct log_time *ret)
{
	struct log_time t = { .kind = LOG_LOCAL };
	int64_t second;
	size_t n;

	if (s.n < 14 || !has_digits(s.p, 4) || s.p[4] != ' ' || !is_clock(s.p + 5) || !short_civil(c, s.p, s.p + 5, &second))
		return false;
	fraction(from(s, 13), &n, &t);
	t.ns += second * NS_PER_S;
	*ret = t;
	return true;
}

/* MM-DD hh:mm:ss, as stern shortens it */
static bool
month_day_time(struct log_clock *c, struct slice s, struct log_time *ret)
{
	int64_t second;
	char month_day[4];

	if (s.n < 14 || s.p[5] != ' ' || !is_clock(s.p + 6))
		return false;
	memcpy(month_day, s.p, 2);
	memcpy(month_day + 2, s.p + 3, 2);
	if (!short_civil(c, month_day, s.p + 6, &second))
		return false;
	*ret = (struct log_time){ .kind = LOG_LOCAL, .ns = second * NS_PER_S };
	return true;
}

/* A decimal number without exponent. */
static bool
epoch(struct slice s, struct log_time *ret)
{
	int64_t whole = 0, unit, ns;
	size_t i = 0;

	for (; i < s.n && is_digit(s.p[i]); i++) {
		if (i == 18 + 1)
			return false;
		whole = whole * 10 + (s.p[i] - '0');
	}
	if (i < 9)
		return false;
	unit = i <= 11 ? NS_PER_S : i <= 14 ? NS_PER_S / 1000 : i <= 17 ? 1000 : 1;
	if (whole > TIME_MAX / unit)
		return false;
	ns = whole * unit;
	if (i + 1 < s.n && s.p[i] == '.') {
		for (i++; i < s.n && is_digit(s.p[i]); i++) {
			unit /= 10;
			ns += (s.p[i] - '0') * unit;
		}
	}
	if (i != s.n || !time_fits(ns))
		return false;
	*ret = (struct log_time){ .kind = LOG_ABSOLUTE, .ns = ns, .fine = true };
	return true;
}

bool
log_time_of_json(struct log_clock *c, struct slice value, struct log_time *ret)
{
	struct log_time t;
	size_t end;

	if (epoch(value, ret))
		return true;
	if (!log_time_read(c, value, &t, &end) || end != value.n)
		return false;
	*ret = t;
	return true;
}

/* The closing quote of the string whose first byte is at `i`; s.n when there is none. */
static size_t
string_end(struct slice s, size_t i)
{
	while (i < s.n && s.p[i] != '"')
		i += s.p[i] == '\\' ? 2 : 1;
	return i < s.n ? i : s.n;
}

static bool
is_time_key(struct slice key)
{
	return slice_eq(key, SLICE("ts")) || slice_eq(key, SLICE("time")) || slice_eq(key, SLICE("timestamp")) ||
	    slice_eq(key, SLICE("@timestamp"));
}

/* The value of a time key of the object itself. The text need not be whole: it may have been cut. */
static bool
json_time(struct log_clock *c, struct slice s, struct log_time *ret)
{
	int depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		struct slice key, value;
		size_t end;

		depth += (s.p[i] == '{' || s.p[i] == '[') - (s.p[i] == '}' || s.p[i] == ']');
		if (s.p[i] != '"')
			continue;
		end = string_end(s, i + 1);
		key = (struct slice){ s.p + i + 1, end - i - 1 };
		i = end;
		if (depth != 1 || i + 2 >= s.n || s.p[i + 1] != ':' || !is_time_key(key))
			continue;
		i += 2 + (s.p[i + 2] == ' ');
		value = from(s, i < s.n ? i : s.n);
		if (value.n > 0 && value.p[0] == '"') {
			end = string_end(value, 1);
			value = (struct slice){ value.p + 1, end - 1 };
			i += end;
		} else {
			for (end = 0; end < value.n && (is_digit(value.p[end]) || value.p[end] == '.'); end++)
				;
			value.n = end;
			i += end > 0 ? end - 1 : 0;
		}
		if (log_time_of_json(c, value, ret))
			return true;
	}
	return false;
}

/* `time="..."`, `ts=...` */
static bool
logfmt_time(struct log_clock *c, struct slice s, struct log_time *ret)
{
	size_t at = slice_has_prefix(s, SLICE("time=")) ? 5 : slice_has_prefix(s, SLICE("ts=")) ? 3 : 0, end;

	if (at == 0)
		return false;
	at += at < s.n && s.p[at] == '"';
	s = from(s, at);
	if (log_time_read(c, s, ret, &end))
		return true;
	for (end = 0; end < s.n && (is_digit(s.p[end]) || s.p[end] == '.'); end++)
		;
	return epoch((struct slice){ s.p, end }, ret);
}

bool
log_time_of_text(struct log_clock *c, struct slice text, struct log_time *ret)
{
	const char *close;
	size_t end;

	if (text.n < 9)
		return false;
	if (text.p[0] == '{')
		return json_time(c, text, ret);
	if (text.p[0] == '[') { /* [mysql] 2026/09/27 ..., [2026-09-27T...] */
		if (is_digit(text.p[1]))
			return log_time_read(c, from(text, 1), ret, &end) || go_time(c, from(text, 1), ret);
		close = memchr(text.p, ']', text.n < BRACKET_MAX ? text.n : BRACKET_MAX);
		if (close == NULL || close + 2 >= text.p + text.n || close[1] != ' ')
			return false;
		text = from(text, (size_t)(close + 2 - text.p));
	} else if (text.p[0] == 't') {
		return logfmt_time(c, text, ret);
	} else if (text.p[0] >= 'A' && text.p[0] <= 'Z') {
		text = from(text, 1);
		return go_time(c, text, ret) || klog_time(c, text, ret);
	}
	if (text.n < 9 || !is_digit(text.p[0]))
		return false;
	if (text.p[2] == '-')
		return month_day_time(c, text, ret);
	return go_time(c, text, ret) || log_time_read(c, text, ret, &end);
}
