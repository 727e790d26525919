/* agent/agent_config.h - the configuration of a load: one YAML file for all agents and commands (docs/impagent.example.yaml).
 *
 * Life cycle: agent_config_read() -> agent_config_close(). Ownership: everything lives in the configuration. Errors: IMP_E_RULE with
 * file:line:column, IMP_E_NOINPUT. Threading: read-only once read. */
#pragma once
#include "agent/agent_plan.h"
#include "agent/wire_out.h"
#include "base/arena.h"
#include "base/settings.h"

#define AGENT_ENTRIES_MAX 256

/* Where accounts connect: those of `agent` from `first` to `last` (0: all). The first entry that fits an account is its own. */
struct agent_entry {
	const char *url;   /* ws:// or wss:// */
	const char *pod;   /* behind it; NULL: not known */
	const char *agent; /* NULL: any */
	uint32_t first, last;
	/* of url */
	bool tls;
	const char *host, *path;
	unsigned port;
};

struct agent_config {
	struct arena arena;
	enum wire_dialect dialect;
	const char *tenant;	   /* NULL: none */
	struct secret api_key;	   /* p NULL: none is sent */
	struct secret password;	   /* of all accounts */
	const char *login;	   /* before the account's name: "lt" for lta0001; "" */
	const char *ca;		   /* file of the server's authority; NULL: the system's */
	const char *group;	   /* topic of the group; NULL: none */
	struct plan_settings plan; /* run id, mids, agents, streams */
	int64_t drain_ns[AGENT_PLAN_STREAMS_MAX];
	struct agent_entry *entries;
	unsigned nentries;
	const char **systems; /* of run.json, ended by NULL; NULL: not said */
	bool shared_host;
	uint64_t connects;   /* at once in flight */
	uint64_t reconnects; /* at once in flight, once the load runs */
	uint64_t threads;
	uint64_t message_bytes;
	int64_t ack_timeout_ns, late_ns; /* a send that is later than `late_ns` is skipped */
	int64_t history_deadline_ns;
	uint64_t history_queries; /* at once in flight */
	bool note_received;
};

/* `run_id` replaces the file's when not NULL. */
MUST_CHECK enum imp_rc agent_config_read(const char *path, const char *run_id, struct agent_config **ret, struct imp_err *err);
void agent_config_close(struct agent_config *c); /* NULL is fine */
void agent_config_done(struct agent_config **c);

/* The number of an agent by its name; false: there is none. */
bool agent_config_agent(const struct agent_config *c, const char *name, uint32_t *ret);
/* Where an account connects; NULL: no entry fits. */
const struct agent_entry *agent_config_entry(const struct agent_config *c, uint32_t agent, uint32_t account);
