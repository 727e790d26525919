/* manifest.sha256 against the files: what sha256sum prints, and what it does not. */
#include "config.h"

#include "read-run.h"
#include "tap.h"

/* By `printf 'hello\n' | sha256sum`. */
#define HELLO "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
#define OTHER "0000000000000000000000000000000000000000000000000000000000000000"

static void
manifest(const char *lines)
{
	run_dir_clear();
	run_dir_put("logs/a.log", "hello\n");
	run_dir_put("logs/back\\slash", "hello\n");
	run_dir_put("logs/new\nline", "hello\n");
	run_dir_put("agents/a/l.jsonl", "hello\n"); /* read as a ledger, and hashed on the way */
	run_dir_put("manifest.sha256", "%s", lines);
	read_run(1);
}

/* How the manifest speaks of one file. */
static const struct {
	const char *name, *line, *path;
	enum manifest_state want;
} files[] = {
	{ "its hash", HELLO "  logs/a.log\n", "logs/a.log", MANIFEST_OK },
	{ "a ledger's hash", HELLO "  agents/a/l.jsonl\n", "agents/a/l.jsonl", MANIFEST_OK },
	{ "in binary mode", HELLO " *logs/a.log\n", "logs/a.log", MANIFEST_OK },
	{ "in capitals", "5891B5B522D5DF086D0FF0B110FBD9D21BB4FC7163AF34D08286A2E846F6BE03  logs/a.log\n", "logs/a.log",
	    MANIFEST_OK },
	{ "by ./", HELLO "  ./logs/a.log\n", "logs/a.log", MANIFEST_OK },
	{ "without a last line feed", HELLO "  logs/a.log", "logs/a.log", MANIFEST_OK },
	{ "with an escaped backslash", "\\" HELLO "  logs/back\\\\slash\n", "logs/back\\slash", MANIFEST_OK },
	{ "with an escaped line feed", "\\" HELLO "  logs/new\\nline\n", "logs/new\nline", MANIFEST_OK },
	{ "another hash", OTHER "  logs/a.log\n", "logs/a.log", MANIFEST_MISMATCH },
	{ "the right hash and another", HELLO "  logs/a.log\n" OTHER "  logs/a.log\n", "logs/a.log", MANIFEST_MISMATCH },
	{ "another hash and the right one", OTHER "  logs/a.log\n" HELLO "  logs/a.log\n", "logs/a.log", MANIFEST_MISMATCH },
	{ "nothing", "", "logs/a.log", MANIFEST_UNLISTED },
	{ "a path that begins like it", HELLO "  logs/a.log.1\n", "logs/a.log", MANIFEST_UNLISTED },
};

static const char *const no_lines[] = {
	"no hash at all",
	HELLO,
	HELLO "  ",
	HELLO " logs/a.log",
	"5891b5b5  logs/a.log",
	HELLO "\tlogs/a.log",
	"x" HELLO "  logs/a.log",
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		manifest(files[i].line);
		is_int(run.ledger.files[read_run_file(files[i].path)].manifest, files[i].want, files[i].name);
	}

	manifest(HELLO "  logs/gone.log\n" HELLO "  ../outside\n" HELLO "  logs/gone.log\n\n");
	ok(run.ledger.not_there.n == 2 && slice_eq(run.ledger.not_there.v[0], SLICE("../outside")) &&
		slice_eq(run.ledger.not_there.v[1], SLICE("logs/gone.log")),
	    "files that are not there, each once; nothing outside is looked for");

	for (size_t i = 0; i < sizeof(no_lines) / sizeof(no_lines[0]); i++) {
		char lines[300];
		const struct ledger *l = &run.ledger;

		snprintf(lines, sizeof(lines), HELLO "  logs/a.log\n%s\n", no_lines[i]);
		manifest(lines);
		ok(l->files[read_run_file("manifest.sha256")].n.rejected == 1 && l->damages.n == 2 &&
			place_line(l->damages.v[1].place) == 2 && l->files[read_run_file("logs/a.log")].manifest == MANIFEST_OK,
		    "no line of sha256sum: '%s'", no_lines[i]);
	}
	is_str(manifest_state_name(MANIFEST_UNLISTED), NULL, "unlisted has no name");
	is_str(manifest_state_name(MANIFEST_MISSING), "missing", "the others have");
	read_run_done();
	return done();
}
