#include "config.h"

#include "ingest/log_text.h"

#define PREFIX_LOOK_MAX 96 /* where `http: panic serving` may stand behind time, file and line */

static bool
begins_with_any(struct slice text, const struct slice *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (slice_has_prefix(text, v[i]))
			return true;
	}
	return false;
}

#define BEGINS_WITH_ANY(text, v) begins_with_any((text), (v), sizeof(v) / sizeof((v)[0]))

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* `http: panic serving 10.0.0.1:5432: ...` behind time, file and line. (For these few bytes memmem() costs several times as much.) */
static bool
is_handler_panic(struct slice text)
{
	static const struct slice words = SLICE("http: panic serving ");
	const char *end = text.p + (text.n < PREFIX_LOOK_MAX ? text.n : PREFIX_LOOK_MAX), *p = text.p;

	while ((p = memchr(p, 'h', (size_t)(end - p))) != NULL) {
		if ((size_t)(end - p) >= words.n && memcmp(p, words.p, words.n) == 0)
			return true;
		p++;
	}
	return false;
}

bool
log_dump_starts(struct slice text)
{
	static const struct slice starts[] = { SLICE("panic: "), SLICE("fatal error: "), SLICE("SIGQUIT: quit"),
		SLICE("SIGABRT: abort"), SLICE("unexpected fault address "), SLICE("runtime: ") };

	if (text.n < 8)
		return false;
	if (is_digit(text.p[0]) || is_digit(text.p[1]))
		return is_handler_panic(text);
	if (memchr("pfSurh", text.p[0], 6) == NULL)
		return false;
	return BEGINS_WITH_ANY(text, starts) || is_handler_panic(text);
}

bool
log_dump_is_stack(struct slice text)
{
	return slice_has_prefix(text, SLICE("goroutine ")) && slice_has_suffix(text, SLICE("]:"));
}

/* `rax    0x0` */
static bool
is_register(struct slice text)
{
	size_t name = 0, value;

	while (name < text.n && name < 8 && ((text.p[name] >= 'a' && text.p[name] <= 'z') || is_digit(text.p[name])))
		name++;
	for (value = name; value < text.n && text.p[value] == ' '; value++)
		;
	return name >= 2 && value > name && slice_has_prefix((struct slice){ text.p + value, text.n - value }, SLICE("0x"));
}

/* `main.(*Hub).run(0xc0001, ...)`, `panic({0x1, 0x2})` */
static bool
is_call(struct slice text)
{
	const char *open = memchr(text.p, '(', text.n);

	return open != NULL && open > text.p && text.p[text.n - 1] == ')' && memchr(text.p, ' ', (size_t)(open - text.p)) == NULL;
}

bool
log_dump_goes_on(struct slice text, bool headed, bool traced)
{
	static const struct slice parts[] = { SLICE("\t"), SLICE("goroutine "), SLICE("created by "), SLICE("[signal "),
		SLICE("exit status "), SLICE("panic: "), SLICE("..."), SLICE("[originating "), SLICE("[recovered"),
		SLICE("runtime stack:") };

	if (headed)
		return false;
	if (text.n == 0 || !traced)
		return true;
	return BEGINS_WITH_ANY(text, parts) || is_call(text) || is_register(text);
}

bool
log_is_collector_error(struct slice text)
{
	static const struct slice errors[] = { SLICE("failed to watch file "), SLICE("failed to get parse function: "),
		SLICE("unable to retrieve container logs for "), SLICE("failed to try resolving symlinks in path "),
		SLICE("failed to create fsnotify watcher"), SLICE("rpc error: code = "), SLICE("Error from server"),
		SLICE("Unable to connect to the server: "), SLICE("error: You must be logged in to the server"),
		SLICE("unexpected stream type "), SLICE("Error: You must be logged in to the server") };

	return text.n > 10 && memchr("fureEU", text.p[0], 6) != NULL && BEGINS_WITH_ANY(text, errors);
}
