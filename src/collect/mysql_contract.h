/* collect/mysql_contract.h - does a database keep what a run relies on? Asked before a load, by impaudit check-schema.
 *
 * Of each table of messages: it is there; it has the columns that are named; `id` takes what the server puts into it; a message has
 * one place in its topic; its rows can be found without reading all others. Life cycle: one call for each instance of the
 * configuration. Threading: one thread. Errors: IMP_E_UNAVAILABLE when nobody answers. */
#pragma once
#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

enum contract_state {
	CONTRACT_HOLDS,
	CONTRACT_NOTED, /* it differs, which does no harm by itself */
	CONTRACT_BROKEN,
	CONTRACT_UNSEEN, /* the account may not look */
	_CONTRACT_STATE_MAX
};

struct contract_options {
	bool tinode;	    /* the stock server, which gives its ids itself: they may be `int` */
	const char *tenant; /* for patterns; NULL: every table that a pattern allows */
	const volatile sig_atomic_t *stop;
	/* One check, "im_008_messages.id: is int(11), must be bigint". */
	void (*say)(void *ctx, enum contract_state state, const char *text);
	void *ctx;
};

/* `settings` are those of an instance of collector_mysql. */
MUST_CHECK enum imp_rc mysql_contract_check(const void *settings, const struct contract_options *o, struct imp_err *err);

/* The name of an instance, as the configuration has it. */
const char *mysql_instance_name(const void *settings);
