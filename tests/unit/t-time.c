/* Times as text: UTC, fixed offsets, zones by name. The expected values are those of `date -u -d @S` and `TZ=... date`. */
#include "config.h"

#include "base/time.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "tap.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void
test_utc(void)
{
	static const struct {
		int64_t ns;
		int decimals;
		const char *want;
	} rows[] = {
		{ 0, 0, "1970-01-01T00:00:00Z" },
		{ 1790000000123456789, 9, "2026-09-21T14:13:20.123456789Z" },
		{ 1790000000129999999, 2, "2026-09-21T14:13:20.12Z" },
		{ -1, 9, "1969-12-31T23:59:59.999999999Z" },
		{ 951827696000000000, 3, "2000-02-29T12:34:56.000Z" },
		{ INT64_MAX, 9, "2262-04-11T23:47:16.854775807Z" },
		{ INT64_MIN, 9, "1677-09-21T00:12:43.145224192Z" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		time_add_utc(&out, rows[i].ns, rows[i].decimals);
		is_str(out.p, rows[i].want, "UTC");
	}
}

static void
test_zones(void)
{
	static const struct {
		const char *zone;
		int64_t ns;
		const char *want; /* NULL: no such zone */
	} rows[] = {
		{ "+08:00", 1790000000123000000, "2026-09-21T22:13:20.123+08:00" },
		{ "-0330", 1790000000000000000, "2026-09-21T10:43:20.000-03:30" },
		{ "+05", 1790000000000000000, "2026-09-21T19:13:20.000+05:00" },
		{ "UTC", 0, "1970-01-01T00:00:00.000+00:00" },
		{ "Asia/Shanghai", 1790000000000000000, "2026-09-21T22:13:20.000+08:00" },
		{ "America/New_York", 1790000000000000000, "2026-09-21T10:13:20.000-04:00" },
		{ "America/New_York", 1797000000000000000, "2026-12-11T09:40:00.000-05:00" },
		{ "Asia/Kathmandu", 1790000000000000000, "2026-09-21T19:58:20.000+05:45" },
		{ "+8", 0, NULL },
		{ "+24:00", 0, NULL },
		{ "+08:60", 0, NULL },
		{ "+08:", 0, NULL },
		{ "+080", 0, NULL },
		{ "Asia/Nowhere", 0, NULL },
		{ "../../etc/passwd", 0, NULL },
		{ "/etc/localtime", 0, NULL },
		{ "", 0, NULL },
		{ "zone.tab", 0, NULL },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);
		struct time_zone zone = { true, -1 };
		struct imp_err err = { 0 };
		enum imp_rc rc = time_zone_open(rows[i].zone, &zone, &err);

		if (rows[i].want == NULL) {
			ok(rc == IMP_E_USAGE && zone.offset_s == -1, "no zone: '%s'", rows[i].zone);
		} else if (rc == IMP_OK) {
			time_add_zoned(&out, rows[i].ns, 3, &zone);
			is_str(out.p, rows[i].want, rows[i].zone);
		} else {
			ok(access("/usr/share/zoneinfo/UTC", R_OK) != 0, "%s: %s # SKIP no tzdata", rows[i].zone, err.msg);
		}
	}
}

static void
test_lengths(void)
{
	static const struct {
		int64_t ns;
		const char *want;
	} rows[] = { { 0, "0 s" }, { 250, "250 ns" }, { 2500000, "2.500 ms" }, { 30000000000, "30 s" }, { 1500000000, "1.500 s" },
		{ -2500000, "-2.500 ms" }, { 245000000000, "4 min 5 s" } };

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		time_add_length(&out, rows[i].ns);
		is_str(out.p, rows[i].want, "length");
	}
}

int
main(void)
{
	test_utc();
	test_zones();
	test_lengths();
	return done();
}
