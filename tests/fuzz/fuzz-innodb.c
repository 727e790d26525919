/* Any bytes as the answer to SHOW ENGINE INNODB STATUS: what is found lies within them, and of a deadlock no literal is left. */
#include "config.h"

#include <string.h>

#include "collect/mysql.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = { (const char *)data, size };
	struct buf out = BUF_INIT((size_t)1 << 20);
	struct mysql_innodb i;

	mysql_innodb_parse(text, &i);
	must(i.history_length >= -1);
	must(i.deadlock_at[0] == '\0' || strlen(i.deadlock_at) == 19);
	must(i.deadlock.n == 0 || (i.deadlock.p >= text.p && i.deadlock.p + i.deadlock.n <= text.p + text.n));
	mysql_innodb_add_deadlock(&out, i.deadlock);
	must(out.failed == IMP_OK);
	for (size_t n = 0; n < out.n; n++)
		must(out.p[n] != '\'' && out.p[n] != '"');
	must(i.deadlock_at[0] == '\0' || mysql_is_datetime(slice_of(i.deadlock_at)) ||
	    mysql_time(slice_of(i.deadlock_at), 0) == INT64_MIN);
	buf_done(&out);
	return 0;
}
