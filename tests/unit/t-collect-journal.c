/* The journal: a line for each request at once, without secrets, and who answered. */
#include "config.h"

#include "collect/journal.h"

#include <dirent.h>
#include <stdlib.h>

#include "run-dir.h"
#include "tap.h"

static struct imp_err err;
static char text[200000]; /* of the journal */

/* Read the only file of collect/ into `text`. */
static void
read_journal(void)
{
	char folder[300], path[600];
	DIR *d;
	int files = 0;

	snprintf(folder, sizeof(folder), "%s/collect", run_dir);
	text[0] = '\0';
	d = opendir(folder);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		FILE *f;

		if (e->d_name[0] == '.')
			continue;
		files++;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		f = fopen(path, "re");
		text[f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
		if (f != NULL)
			fclose(f);
	}
	if (d != NULL)
		closedir(d);
	is_int(files, text[0] != '\0', "files of the journal");
}

static struct asked
request(void)
{
	return (struct asked){ .system = "mysql",
		.source = "main",
		.what = "rows of messages",
		.from = 1790000000000000001,
		.ns = 5,
		.n = -1 };
}

static void
test_lines(void)
{
	struct outdir *d;
	struct journal *j;
	struct asked a = request();
	struct server_identity id = { .system = "redis",
		.source = "r1",
		.address = "redis://user:geheim@127.0.0.1:6379",
		.version = "7.0.15",
		.role = "primary",
		.t = 9 };

	is_int(outdir_open(run_dir, &d, &err), IMP_OK, "a directory");
	is_int(journal_open(d, "final", &j, &err), IMP_OK, "a journal");
	read_journal();
	is_str(text, "", "nothing was asked, and there is no file");
	is_int(journal_asked(j, &a, &err), IMP_OK, "a request");
	read_journal();
	is_str(text,
	    "{\"ev\": \"collected\", \"t\": 1790000000000000001, \"phase\": \"final\", \"system\": \"mysql\", \"source\": \"main\", "
	    "\"what\": \"rows of messages\", \"status\": \"ok\", \"ns\": 5, \"tries\": 1}\n",
	    "is there at once");
	a.query = "SELECT 1 /* password=geheim */";
	a.file = "db/check-1/rows.jsonl";
	a.status = ASKED_DENIED;
	a.why = "lacks \"SELECT\" on im.messages";
	a.n = 0;
	a.tries = 3;
	is_int(journal_asked(j, &a, &err), IMP_OK, "one with all");
	is_int(journal_server(j, &id, &err), IMP_OK, "who answered");
	read_journal();
	is_str(strchr(text, '\n') + 1,
	    "{\"ev\": \"collected\", \"t\": 1790000000000000001, \"phase\": \"final\", \"system\": \"mysql\", \"source\": \"main\", "
	    "\"what\": \"rows of messages\", \"query\": \"SELECT 1 /* password=[redacted] */\", \"file\": \"db/check-1/rows.jsonl\", "
	    "\"status\": \"denied\", \"why\": \"lacks \\\"SELECT\\\" on im.messages\", \"ns\": 5, \"n\": 0, \"tries\": 3}\n"
	    "{\"ev\": \"server\", \"t\": 9, \"phase\": \"final\", \"system\": \"redis\", \"source\": \"r1\", \"address\": "
	    "\"redis://user:[redacted]@127.0.0.1:6379\", \"version\": \"7.0.15\", \"role\": \"primary\"}\n",
	    "without secrets");
	ok(strstr(text, "geheim") == NULL && strstr(journal_last_server(j), "geheim") == NULL, "none anywhere");
	is_str(journal_last_server(j), "redis://user:[redacted]@127.0.0.1:6379, 7.0.15, primary", "the last server");
	is_int((intmax_t)journal_counts(j).requests, 2, "requests");
	is_int((intmax_t)journal_counts(j).denied, 1, "of them denied");
	is_int(journal_close(j, &err), IMP_OK, "closed");
	is_int((intmax_t)outdir_counts(d).files, 1, "a file for the manifest");
	outdir_close(d);
}

static void
test_long(void)
{
	static char query[100000];
	struct outdir *d;
	struct journal *j;
	struct asked a = request();

	run_dir_clear();
	memset(query, 'q', sizeof(query) - 1);
	a.query = query;
	is_int(outdir_open(run_dir, &d, &err), IMP_OK, "a directory");
	is_int(journal_open(d, "final", &j, &err), IMP_OK, "a journal");
	is_int(journal_asked(j, &a, &err), IMP_OK, "a long query");
	is_int(journal_close(j, &err), IMP_OK, "closed");
	read_journal();
	ok(strstr(text, "qqq[cut]\", \"status\"") != NULL && strlen(text) < 66000, "is cut, and says so");
	outdir_close(d);
}

static void
test_nowhere(void)
{
	struct journal *j;
	struct asked a = request();

	is_int(journal_open(NULL, "dry", &j, &err), IMP_OK, "a journal that is not kept");
	is_int(journal_asked(j, &a, &err), IMP_OK, "a request");
	is_int((intmax_t)journal_counts(j).requests, 1, "is counted");
	is_str(journal_last_server(j), "", "nobody said who it is");
	is_int(journal_close(j, &err), IMP_OK, "closed");
	is_int(journal_close(NULL, &err), IMP_OK, "none");
}

int
main(void)
{
	static const char *const names[] = { "ok", "limited", "denied", "unreachable", "timeout", "refused", "failed" };

	for (unsigned i = 0; i < _ASKED_STATUS_MAX; i++)
		is_str(asked_status_name((enum asked_status)i), names[i], "status");
	run_dir_clear();
	test_lines();
	test_long();
	test_nowhere();
	return done();
}
