/* cmd/tool_files.h - files of another load tool as a run of its own, in a store in memory: what `trust` judges without an ingest. */
#pragma once
#include "cmd/cmd.h"

/* Open ctx->store with one run that has the files of ctx->operands. `arrival_rate`: all executors of the tool are known to have one.
 * IMP_E_NOINPUT: no such file; IMP_E_DATA: a file is nothing that is read here. */
MUST_CHECK enum imp_rc tool_files_open(struct cmd_context *ctx, bool arrival_rate, struct imp_err *err);
