/* Output files are whole or not there. */
#include "config.h"

#include "base/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tap.h"

static void
check_content(const char *path, const char *want)
{
	CLEANUP(fclosep) FILE *f = fopen(path, "re");
	char text[64] = "";
	size_t n = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	is_str(text, want, path);
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static int
count_entries(void)
{
	DIR *d = opendir(".");
	int n = 0;

	if (d == NULL)
		return -1;
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2; /* . and .. */
}

int
main(void)
{
	char dir[] = "io-test-XXXXXX";
	struct imp_err err = { 0 };
	int pipe_end;
	char got[8] = "";

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	is_int(io_write("a", SLICE("one"), &err), IMP_OK, "new");
	check_content("a", "one");
	is_int(io_write("a", SLICE("two"), &err), IMP_OK, "replaced");
	check_content("a", "two");
	ok(symlink("a", "link") == 0, "a link");
	is_int(io_write("link", SLICE("three"), &err), IMP_OK, "through a link");
	ok(is_link("link"), "the link is still one");
	check_content("a", "three");
	is_int(io_replace(AT_FDCWD, "link", SLICE("four"), &err), IMP_OK, "instead of a link");
	ok(!is_link("link"), "the link is gone");
	check_content("a", "three");
	check_content("link", "four");
	is_int(io_write("/dev/null", SLICE("x"), &err), IMP_OK, "a device");
	ok(access("/dev/null", W_OK) == 0, "is still there");
	ok(mkfifo("pipe", 0600) == 0, "a pipe");
	pipe_end = open("pipe", O_RDONLY | O_NONBLOCK);
	is_int(io_write("pipe", SLICE("five"), &err), IMP_OK, "into a pipe");
	is_int(read(pipe_end, got, sizeof(got)), 4, "goes through it");
	close(pipe_end);
	is_int(io_write("no/such", SLICE("x"), &err), IMP_E_CREATE, "no directory");
	ok(mkdir("d", 0700) == 0 && io_replace(AT_FDCWD, "d", SLICE("x"), &err) == IMP_E_CREATE, "a directory in the way");
	is_int(count_entries(), 4, "nothing is left beside");
	unlink("a"), unlink("link"), unlink("pipe"), rmdir("d");
	ok(chdir("..") == 0 && rmdir(dir) == 0, "the directory is empty again");
	return done();
}
