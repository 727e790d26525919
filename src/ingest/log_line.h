/* ingest/log_line.h - one line of a log file without what the runtime or a collector put around it.
 *
 * A file has one layout, told by its first lines (log_sniff()); a line that does not fit it is given as it stands, `raw`. Life cycle of
 * a reader: zeroed but for clock.near, log_line_reader_done(). Threading: one thread a reader. A line borrows from the file's line
 * and from the reader until the next one. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"
#include "ingest/log_time.h"
#include "ingest/record.h"

enum log_format {
	LOG_BARE,	/* what the program wrote */
	LOG_CRI,	/* TIME stdout|stderr F|P[:...] TEXT */
	LOG_DOCKER,	/* {"log":"TEXT\n","stream":"...","time":"..."} */
	LOG_KUBECTL,	/* [[pod/POD/CONTAINER] ][TIME ]TEXT */
	LOG_STERN,	/* [NAMESPACE ]POD CONTAINER [TIME ]TEXT, in colours or not */
	LOG_STERN_JSON, /* {"message":"TEXT","podName":"...","containerName":"..."} */
	LOG_LOKI,	/* one document, see log_loki.h */
	_LOG_FORMAT_MAX
};

/* How a program of a LOG_BARE file begins its lines. */
enum log_style { LOG_STYLE_TEXT, LOG_STYLE_GO, LOG_STYLE_KLOG, LOG_STYLE_JSON, _LOG_STYLE_MAX };

struct log_layout {
	enum log_format format;
	enum log_style style;
	unsigned names; /* stern: 2, or 3 with the namespace */
	bool named;	/* its lines say which pod they are of */
};

const char *log_layout_name(const struct log_layout *l);

enum log_pipe { LOG_STDOUT, LOG_STDERR, LOG_EITHER, _LOG_PIPE_MAX };

struct log_line {
	struct slice pod, container; /* p NULL: not said */
	struct slice text;
	struct log_time t; /* when the runtime got it; LOG_UNDATED: not said */
	enum log_pipe pipe;
	bool partial;	    /* the next line of this pipe goes on with it */
	bool raw;	    /* not in the layout of the file */
	bool nothing;	    /* no line of the program: `text` is empty */
	const char *damage; /* something of the line is lost: static text; NULL */
	const char *odd;    /* not as usual, nothing lost: static text; NULL */
};

struct log_line_reader {
	struct log_clock clock;
	struct record_scratch scratch;
	char *plain; /* a line without colours */
	size_t plain_cap;
};

void log_line_reader_done(struct log_line_reader *r);
/* IMP_E_NOMEM alone: any bytes are a line. `line` is readable for RECORD_PADDING bytes behind its end. */
MUST_CHECK enum imp_rc log_line_read(struct log_line_reader *r, const struct log_layout *l, struct slice line, struct log_line *ret,
    struct imp_err *err);

/* ingest/log_json.c - part of log_line_read() */
MUST_CHECK enum imp_rc log_docker_read(struct log_line_reader *r, struct slice line, struct log_line *ret, struct imp_err *err);
MUST_CHECK enum imp_rc log_stern_json_read(struct log_line_reader *r, struct slice line, struct log_line *ret, struct imp_err *err);

/* TIME stdout|stderr [TAG] TEXT; false when it is no such line. */
bool log_cri_read(struct log_clock *c, struct slice line, struct log_line *ret);

/* What the first lines of a file speak for. */
struct log_votes {
	unsigned lines; /* not empty ones */
	unsigned format[_LOG_FORMAT_MAX], style[_LOG_STYLE_MAX];
	unsigned named3;   /* stern lines with a namespace */
	unsigned prefixed; /* kubectl lines with a pod */
};
MUST_CHECK enum imp_rc log_sniff(struct log_line_reader *r, struct slice line, struct log_votes *votes, struct imp_err *err);
struct log_layout log_sniffed(const struct log_votes *votes);
