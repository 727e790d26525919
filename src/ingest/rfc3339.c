#include "config.h"

#include "ingest/rfc3339.h"

static bool
digits(struct slice *s, unsigned n, int64_t *ret)
{
	int64_t v = 0;

	if (s->n < n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		v = v * 10 + (s->p[i] - '0');
	}
	*s = (struct slice){ s->p + n, s->n - n };
	*ret = v;
	return true;
}

static bool
literal(struct slice *s, const char *any_of)
{
	if (s->n == 0 || strchr(any_of, s->p[0]) == NULL || s->p[0] == '\0')
		return false;
	*s = (struct slice){ s->p + 1, s->n - 1 };
	return true;
}

/* Days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
static int64_t
days_from_civil(int64_t y, int64_t m, int64_t d)
{
	int64_t era, yoe, doy;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = y - era * 400;
	doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static int64_t
days_of_month(int64_t y, int64_t m)
{
	if (m == 2)
		return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0) ? 29 : 28;
	return m == 4 || m == 6 || m == 9 || m == 11 ? 30 : 31;
}

static bool
fraction(struct slice *s, int64_t *ret_ns)
{
	int64_t unit = 100000000, ns = 0;

	if (!literal(s, "."))
		return true;
	if (s->n == 0 || s->p[0] < '0' || s->p[0] > '9')
		return false;
	for (; s->n > 0 && s->p[0] >= '0' && s->p[0] <= '9'; *s = (struct slice){ s->p + 1, s->n - 1 }) {
		ns += (s->p[0] - '0') * unit;
		unit /= 10;
	}
	*ret_ns = ns;
	return true;
}

static bool
zone(struct slice *s, int64_t *ret_s)
{
	int64_t sign, h, m;

	*ret_s = 0;
	if (literal(s, "Zz"))
		return true;
	if (s->n == 0 || (s->p[0] != '+' && s->p[0] != '-'))
		return false;
	sign = s->p[0] == '-' ? -1 : 1;
	*s = (struct slice){ s->p + 1, s->n - 1 };
	if (!digits(s, 2, &h) || !literal(s, ":") || !digits(s, 2, &m) || h > 23 || m > 59)
		return false;
	*ret_s = sign * (h * 3600 + m * 60);
	return true;
}

bool
rfc3339_parse(struct slice s, int64_t *ret_ns)
{
	int64_t y, mo, d, h, mi, sec, ns = 0, offset;

	if (!digits(&s, 4, &y) || !literal(&s, "-") || !digits(&s, 2, &mo) || !literal(&s, "-") || !digits(&s, 2, &d) ||
	    !literal(&s, "Tt ") || !digits(&s, 2, &h) || !literal(&s, ":") || !digits(&s, 2, &mi) || !literal(&s, ":") ||
	    !digits(&s, 2, &sec) || !fraction(&s, &ns) || !zone(&s, &offset) || s.n != 0)
		return false;
	if (y < 1678 || y > 2261 || mo < 1 || mo > 12 || d < 1 || d > days_of_month(y, mo) || h > 23 || mi > 59 || sec > 60)
		return false;
	*ret_ns = (days_from_civil(y, mo, d) * 86400 + h * 3600 + mi * 60 + sec - offset) * 1000000000 + ns;
	return true;
}
