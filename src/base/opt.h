/* base/opt.h - command-line options from const tables: one table serves parsing, --help and the man page.
 *
 * Accepted: --name, --name=VALUE, --name VALUE, -x, -x VALUE, -xVALUE, -xy for flags, and "--", behind which all are operands.
 * Values are written into a caller's struct at the entry's offset; text borrows from the arguments. Pure functions, any thread. */
#pragma once
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum opt_kind {
	OPT_FLAG,  /* bool */
	OPT_TEXT,  /* const char * */
	OPT_COUNT, /* uint64_t, decimal */
	OPT_BYTES, /* uint64_t, decimal with an optional K, M or G (powers of 1024) */
	OPT_TEXTS, /* struct opt_texts: may be given several times */
};

#define OPT_TEXTS_MAX 16

struct opt_texts {
	const char *v[OPT_TEXTS_MAX];
	size_t n;
};

struct opt {
	const char *name; /* without dashes; NULL ends a table */
	char letter;	  /* short form; 0: none */
	enum opt_kind kind;
	size_t offset;	 /* of the value in the struct of the table */
	const char *arg; /* what --help calls the value; NULL for a flag */
	const char *help;
};

struct opt_table {
	const struct opt *opts;
	void *values; /* holds the defaults before, the values after */
};

/* Parse all `n` arguments by several tables (the first that knows an option wins). The operands are moved to the front of `args`,
 * in order; *ret_operands is how many. IMP_E_USAGE names the option. */
MUST_CHECK enum imp_rc opt_parse(const struct opt_table *tables, size_t ntables, char **args, int n, int *ret_operands,
    struct imp_err *err);

/* Parse options up to the first operand; *ret_used is how many arguments that were. */
MUST_CHECK enum imp_rc opt_parse_leading(const struct opt_table *table, char **args, int n, int *ret_used, struct imp_err *err);

/* Append two columns, a line for each option: "  -o, --output FILE   text". */
void opt_help(const struct opt *opts, struct buf *out);
