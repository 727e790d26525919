/* ingest/log_text.h - what the words of a line say before any signature looks at them: dumps of the Go runtime, which are one event
 * over many lines, and errors of the log's collector, which are no words of the server. Pure. */
#pragma once
#include <stdbool.h>

#include "base/slice.h"

/* Does the Go runtime begin to tell why it dies, or net/http why a handler did? */
bool log_dump_starts(struct slice text);

/* A line of such a dump; before its first stack (`traced` false) the words of the panic may be anything. `headed`: the line begins as
 * the program's own do. */
bool log_dump_goes_on(struct slice text, bool headed, bool traced);

/* "goroutine 7 [running]:" */
bool log_dump_is_stack(struct slice text);

/* Did whoever fetched the log write this? */
bool log_is_collector_error(struct slice text);
