#include "config.h"

#include "base/time.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/slice.h"

#define ZONE_DIRECTORY "/usr/share/zoneinfo"

/* [+-]HH[[:]MM] */
static bool
parse_offset(const char *s, int *ret)
{
	int sign = s[0] == '-' ? -1 : 1, digit[4] = { 0 }, n = 0;

	if (s[0] != '+' && s[0] != '-')
		return false;
	for (s++; *s != '\0'; s++) {
		if (*s == ':' && n == 2 && s[1] != '\0')
			continue;
		if (!isdigit((unsigned char)*s) || n == 4)
			return false;
		digit[n++] = *s - '0';
	}
	if ((n != 2 && n != 4) || digit[2] > 5 || digit[0] * 10 + digit[1] > 23)
		return false;
	*ret = sign * ((digit[0] * 10 + digit[1]) * 3600 + (digit[2] * 10 + digit[3]) * 60);
	return true;
}

/* A name of the zone database holds letters, digits and + - _ between slashes: nothing that leaves its directory. */
static bool
is_zone_name(const char *s)
{
	if (!isalpha((unsigned char)s[0]) || strlen(s) > 64)
		return false;
	for (; *s != '\0'; s++)
		if (!isalnum((unsigned char)*s) && strchr("+-_/", *s) == NULL)
			return false;
	return true;
}

static bool
zone_exists(const char *name)
{
	const char *dir = secure_getenv("TZDIR");
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	CLEANUP(fclosep) FILE *f = NULL;
	char magic[4];

	buf_addf(&path, "%s/%s", dir != NULL ? dir : ZONE_DIRECTORY, name);
	if (buf_status(&path, NULL) != IMP_OK)
		return false;
	f = fopen(path.p, "re");
	return f != NULL && fread(magic, 1, sizeof(magic), f) == sizeof(magic) && memcmp(magic, "TZif", sizeof(magic)) == 0;
}

enum imp_rc
time_zone_open(const char *name, struct time_zone *ret, struct imp_err *err)
{
	int offset = 0;

	if (strcmp(name, "Z") == 0 || strcmp(name, "UTC") == 0 || parse_offset(name, &offset)) {
		*ret = (struct time_zone){ .fixed = true, .offset_s = offset };
		return IMP_OK;
	}
	if (!is_zone_name(name) || !zone_exists(name)) {
		imp_err_set(err, IMP_E_USAGE, "unknown time zone '%.64s'", name);
		imp_err_hint(err, "give an offset such as +08:00, or a name such as Asia/Shanghai (needs tzdata)");
		return IMP_E_USAGE;
	}
	if (setenv("TZ", name, 1) != 0)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	tzset();
	*ret = (struct time_zone){ 0 };
	return IMP_OK;
}

static void
add_broken_down(struct buf *out, const struct tm *tm, int64_t fraction_ns, int decimals)
{
	buf_addf(out, "%04d-%02d-%02dT%02d:%02d:%02d", tm->tm_year + 1900, tm->tm_mon + 1, tm->tm_mday, tm->tm_hour, tm->tm_min,
	    tm->tm_sec);
	if (decimals > 0) {
		for (int i = decimals; i < 9; i++)
			fraction_ns /= 10;
		buf_addf(out, ".%0*" PRId64, decimals, fraction_ns);
	}
}

/* Whole seconds, rounded towards the past, and what is left of `ns`. */
static time_t
split(int64_t ns, int64_t *ret_fraction)
{
	int64_t s = ns / NS_PER_S, fraction = ns % NS_PER_S;

	if (fraction < 0) {
		fraction += NS_PER_S;
		s--;
	}
	*ret_fraction = fraction;
	return s;
}

void
time_add_utc(struct buf *out, int64_t ns, int decimals)
{
	int64_t fraction;
	time_t s = split(ns, &fraction);
	struct tm tm;

	gmtime_r(&s, &tm);
	add_broken_down(out, &tm, fraction, decimals);
	buf_add_char(out, 'Z');
}

void
time_add_zoned(struct buf *out, int64_t ns, int decimals, const struct time_zone *zone)
{
	int64_t fraction;
	time_t s = split(ns, &fraction);
	struct tm tm;
	long offset;

	if (zone->fixed) {
		s += zone->offset_s;
		gmtime_r(&s, &tm);
		offset = zone->offset_s;
	} else {
		localtime_r(&s, &tm);
		offset = tm.tm_gmtoff;
	}
	add_broken_down(out, &tm, fraction, decimals);
	buf_addf(out, "%c%02ld:%02ld", offset < 0 ? '-' : '+', labs(offset) / 3600, labs(offset) / 60 % 60);
}

void
time_add_length(struct buf *out, int64_t ns)
{
	if (ns < 0) {
		buf_add_char(out, '-');
		ns = ns != INT64_MIN ? -ns : INT64_MAX;
	}
	if (ns == 0)
		buf_add_str(out, "0 s");
	else if (ns < 1000)
		buf_addf(out, "%" PRId64 " ns", ns);
	else if (ns < NS_PER_S)
		buf_addf(out, "%.3f ms", (double)ns / 1e6);
	else if (ns >= 60 * NS_PER_S)
		buf_addf(out, "%" PRId64 " min %" PRId64 " s", ns / NS_PER_S / 60, ns / NS_PER_S % 60);
	else if (ns % NS_PER_S == 0)
		buf_addf(out, "%" PRId64 " s", ns / NS_PER_S);
	else
		buf_addf(out, "%.3f s", (double)ns / 1e9);
}

static int64_t
read_clock(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t
time_monotonic(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t
time_now(void)
{
	return read_clock(CLOCK_REALTIME);
}
