#include "config.h"

#include "collect/mysql.h"

#include <ctype.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/redact.h"

#define STATEMENTS_MAX ((size_t)64 << 10) /* of a deadlock's text that are read */
#define RULE_MIN 8			  /* dashes of the lines between sections */

/* The first line, without its end; *rest is moved behind it. */
static struct slice
next_line(struct slice *rest)
{
	const char *feed = memchr(rest->p, '\n', rest->n);
	struct slice line = { rest->p, feed != NULL ? (size_t)(feed - rest->p) : rest->n };
	size_t step = line.n + (feed != NULL);

	*rest = (struct slice){ rest->p + step, rest->n - step };
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

static bool
is_rule(struct slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '-')
			return false;
	return line.n >= RULE_MIN;
}

/* Does the line begin with "2026-12-01 02:03:04"? */
static bool
has_time(struct slice line)
{
	static const char form[] = "0000-00-00 00:00:00";

	if (line.n < sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)line.p[i]) : line.p[i] != form[i])
			return false;
	return true;
}

static void
take_deadlock(struct slice section, struct mysql_innodb *ret)
{
	struct slice rest = section, line = next_line(&rest);

	if (has_time(line))
		snprintf(ret->deadlock_at, sizeof(ret->deadlock_at), "%.19s", line.p);
	ret->deadlock = has_time(line) ? rest : section;
}

static void
take_history(struct slice section, struct mysql_innodb *ret)
{
	static const char word[] = "History list length ";

	while (section.n > 0 && ret->history_length < 0) {
		struct slice line = next_line(&section);
		int64_t v = 0;

		if (!slice_has_prefix(line, slice_of(word)) || line.n == sizeof(word) - 1 || line.n > sizeof(word) + 17)
			continue;
		for (size_t i = sizeof(word) - 1; i < line.n; i++) {
			if (!isdigit((unsigned char)line.p[i]))
				return;
			v = v * 10 + (line.p[i] - '0');
		}
		ret->history_length = v;
	}
}

/* Sections have their title between two rules of dashes, and go on to the next rule. */
static struct slice
section_of(struct slice *rest)
{
	struct slice section = { rest->p, 0 };

	while (rest->n > 0) {
		struct slice before = *rest;

		if (is_rule(next_line(rest))) {
			*rest = before;
			break;
		}
		section.n = (size_t)(rest->p - section.p);
	}
	return section;
}

void
mysql_innodb_parse(struct slice text, struct mysql_innodb *ret)
{
	*ret = (struct mysql_innodb){ .history_length = -1 };
	while (text.n > 0) {
		struct slice title;

		if (!is_rule(next_line(&text)))
			continue;
		title = next_line(&text);
		if (text.n == 0 || !is_rule(next_line(&text)))
			continue;
		if (slice_eq(title, SLICE("LATEST DETECTED DEADLOCK")))
			take_deadlock(section_of(&text), ret);
		else if (slice_eq(title, SLICE("TRANSACTIONS")))
			take_history(section_of(&text), ret);
	}
}

/* ------------------------------------------------------------------ without what was stored */

/* " 0: len 4; hex 80000001; asc     ;;" */
static bool
is_record_field(struct slice line)
{
	size_t i = 0;

	while (i < line.n && (line.p[i] == ' ' || isdigit((unsigned char)line.p[i])))
		i++;
	return i > 0 && slice_has_prefix((struct slice){ line.p + i, line.n - i }, SLICE(": len "));
}

/* The server's own lines end a text that a long statement, which is cut off, has left open. */
static bool
is_server_line(struct slice line)
{
	return slice_has_prefix(line, SLICE("*** ")) || slice_has_prefix(line, SLICE("TRANSACTION ")) ||
	    slice_has_prefix(line, SLICE("RECORD LOCKS "));
}

static void
add_line(struct buf *out, struct slice line, char *quote)
{
	if (is_server_line(line))
		*quote = '\0';
	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i];

		if (*quote != '\0') {
			i += c == '\\';
			if (c == *quote)
				*quote = '\0';
		} else if (c == '\'' || c == '"') {
			*quote = c;
			if (out->n == 0 || out->p[out->n - 1] != '?') /* a doubled quote goes on */
				buf_add_char(out, '?');
		} else {
			buf_add_char(out, c);
		}
	}
	buf_add_char(out, '\n');
}

void
mysql_innodb_add_deadlock(struct buf *out, struct slice text)
{
	CLEANUP(buf_done) struct buf plain = BUF_INIT(2 * STATEMENTS_MAX);
	char quote = '\0';

	text.n = text.n < STATEMENTS_MAX ? text.n : STATEMENTS_MAX;
	while (text.n > 0) {
		struct slice line = next_line(&text);

		if (line.n > 0 && !is_record_field(line))
			add_line(&plain, line, &quote);
	}
	if (buf_part_ok(out, &plain))
		redact_add(out, buf_slice(&plain));
}
