/* imlab - the server of the tests: plays a chat server from the wire to the store. README.md says what it is true to. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/opt.h"
#include "base/sha256.h"
#include "base/time.h"
#include "lab.h"
#include "lab_api.h"
#include "lab_cluster.h"
#include "lab_flood.h"
#include "lab_json.h"
#include "lab_session.h"
#include "lab_store.h"

#define MS INT64_C(1000000)
#define THREADS "16" /* each with a connection to MariaDB at a time */

static const struct opt options[] = {
	{ "listen", 'l', OPT_TEXT, offsetof(struct lab_options, listen), "HOST:PORT",
	    "where clients connect (default 127.0.0.1:0)" },
	{ "port-file", 0, OPT_TEXT, offsetof(struct lab_options, port_file), "FILE", "write the port there once it listens" },
	{ "cert", 0, OPT_TEXT, offsetof(struct lab_options, certificate), "FILE", "wss and https with this certificate (PEM)" },
	{ "key", 0, OPT_TEXT, offsetof(struct lab_options, key), "FILE", "of the certificate" },
	{ "dialect", 0, OPT_TEXT, offsetof(struct lab_options, dialect_name), "NAME", "tinode (default) or im-server" },
	{ "tenant-code", 0, OPT_TEXT, offsetof(struct lab_options, tenant_code), "CODE",
	    "that clients of im-server give (default 006)" },
	{ "name", 0, OPT_TEXT, offsetof(struct lab_options, name), "NAME", "of this node (default one)" },
	{ "cluster", 0, OPT_TEXT, offsetof(struct lab_options, cluster), "NODES",
	    "all nodes as NAME=HOST:PORT,... where they listen for each other" },
	{ "mysql", 0, OPT_TEXT, offsetof(struct lab_options, mysql), "SOCKET",
	    "keep all in this MariaDB, as root (default: in memory)" },
	{ "database", 0, OPT_TEXT, offsetof(struct lab_options, database), "NAME",
	    "with the tables of schema.sql (default imlab)" },
	{ "kafka", 0, OPT_TEXT, offsetof(struct lab_options, kafka), "HOST:PORT",
	    "messages go to this Kafka, and read from MariaDB" },
	{ "tenant", 0, OPT_COUNT, offsetof(struct lab_options, tenant), "N", "of the tables im_N_messages (default 8)" },
	{ "log", 0, OPT_TEXT, offsetof(struct lab_options, log), "FILE", "append the log there instead of standard error" },
	{ "max-members", 0, OPT_COUNT, offsetof(struct lab_options, max_members), "N", "members of a group (default 2100)" },
	{ "max-message", 0, OPT_BYTES, offsetof(struct lab_options, max_message), "BYTES",
	    "of a frame from a client (default 131072)" },
	{ "max-unsent", 0, OPT_BYTES, offsetof(struct lab_options, max_unsent), "BYTES",
	    "that wait for one client; more ends it (default 8M)" },
	{ "ping", 0, OPT_COUNT, offsetof(struct lab_options, ping_ms), "MS", "between pings (default 49500)" },
	{ "deadline", 0, OPT_COUNT, offsetof(struct lab_options, deadline_ms), "MS", "since the last pong (default 55000)" },
	{ "null", 0, OPT_FLAG, offsetof(struct lab_options, null_server), NULL,
	    "store nothing, log nothing, let everybody in, tell nobody of others' presence: for calibration and speed" },
	{ "flood", 0, OPT_COUNT, offsetof(struct lab_options, flood), "N", "send N messages a second to subscribers by itself" },
	{ "flood-sockets", 0, OPT_COUNT, offsetof(struct lab_options, flood_sockets), "N",
	    "begin with so many subscribers (default 1)" },
	{ "flood-frames", 0, OPT_COUNT, offsetof(struct lab_options, flood_frames), "N", "frames a segment (default 1)" },
	{ "help", 'h', OPT_FLAG, offsetof(struct lab_options, help), NULL, "print this" },
	{ .name = NULL },
};

static const struct lab_options defaults = {
	.listen = "127.0.0.1:0",
	.dialect_name = "tinode",
	.tenant_code = "006",
	.name = "one",
	.database = "imlab",
	.tenant = 8,
	.max_members = 2100,
	.max_message = 131072,
	.max_unsent = 8 << 20,
	.ping_ms = 49500,
	.deadline_ms = 55000,
	.flood_sockets = 1,
	.flood_frames = 1,
};

static void
on_log_flush(uv_prepare_t *handle)
{
	log_flush(&((struct lab *)handle->data)->log);
}

/* Say goodbye as the server does, then end the loop. */
static void
on_signal(uv_signal_t *handle, int number)
{
	struct lab *lab = handle->data;
	struct buf text = BUF_INIT(1024);

	log_line(&lab->log, 'I', "main.go:812", "Signal received: '%s', shutting down", strsignal(number));
	go_ctrl(&text, SLICE(""), SLICE(""), SLICE(""), 205, "server shutdown", time_now());
	for (size_t i = 0; i < lab->sessions.n; i++) {
		if (lab->sessions.v[i] != NULL)
			conn_send_text(lab->sessions.v[i]->conn, buf_slice(&text));
	}
	buf_done(&text);
	uv_stop(&lab->loop);
}

static enum imp_rc
parse_listen(const char *text, struct net_config *config, char *host, size_t host_bytes, struct imp_err *err)
{
	const char *colon = strrchr(text, ':');
	unsigned long port;
	char *end;

	if (colon == NULL)
		return imp_err_set(err, IMP_E_USAGE, "%s is not HOST:PORT", text);
	port = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || *end != '\0' || port > UINT16_MAX)
		return imp_err_set(err, IMP_E_USAGE, "%s is not HOST:PORT", text);
	snprintf(host, host_bytes, "%.*s", (int)(colon - text), text);
	config->host = host;
	config->port = (uint16_t)port;
	return IMP_OK;
}

static void
watch_signal(struct lab *lab, uv_signal_t *handle, int number)
{
	uv_signal_init(&lab->loop, handle);
	handle->data = lab;
	uv_signal_start(handle, on_signal, number);
}

static void
raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Tokens are signed with it. All nodes of a cluster must have the same: it is made of their names. */
static enum imp_rc
make_secret(struct lab *lab, struct imp_err *err)
{
	struct sha256 hash;
	enum imp_rc rc;

	if (lab->options.cluster == NULL)
		return getrandom(lab->token_secret, SECRET_BYTES, 0) == SECRET_BYTES ?
		    IMP_OK :
		    imp_err_errno(err, IMP_E_IO, errno, "getrandom");
	rc = sha256_begin(&hash, err);
	if (rc != IMP_OK)
		return rc;
	sha256_add(&hash, lab->options.cluster, strlen(lab->options.cluster));
	rc = sha256_end(&hash, lab->token_secret, err);
	sha256_done(&hash);
	return rc;
}

static enum imp_rc
lab_start(struct lab *lab, struct imp_err *err)
{
	const struct lab_options *o = &lab->options;
	struct net_config config = {
		.upgrade_path = "/v0/channels",
		.message_max = o->max_message,
		.ping_ns = (int64_t)o->ping_ms * MS,
		.deadline_ns = (int64_t)o->deadline_ms * MS,
		.unsent_max = (int64_t)o->max_unsent,
	};
	const char *names[RING_NODES_MAX];
	char host[64], port[16];
	enum imp_rc rc;

	lab->net.user = lab;
	if (strcmp(o->dialect_name, "im-server") == 0)
		lab->dialect = DIALECT_IM_SERVER;
	else if (strcmp(o->dialect_name, "tinode") != 0)
		return imp_err_set(err, IMP_E_USAGE, "no dialect %s", o->dialect_name);
	lab->dir.p2p_by_name = lab->dialect == DIALECT_IM_SERVER;
	lab->links.user = lab;
	lab->started = time_now();
	rc = make_secret(lab, err);
	if (rc == IMP_OK)
		rc = link_open(&lab->links, &lab->loop, &cluster_handlers, o->cluster, o->name, err);
	if (rc != IMP_OK)
		return rc;
	lab->self = lab->links.self;
	lab->nodes = lab->links.n;
	for (uint32_t i = 0; i < lab->nodes; i++)
		names[i] = lab->links.peer[i].name;
	ring_build(&lab->ring, names, lab->nodes, UINT32_MAX);
	if (o->certificate != NULL)
		rc = tls_open(o->certificate, o->key != NULL ? o->key : o->certificate, &lab->tls, err);
	config.tls = lab->tls;
	if (rc == IMP_OK)
		rc = store_open(lab, err);
	if (rc == IMP_OK)
		rc = store_load(lab, err);
	if (rc == IMP_OK)
		rc = parse_listen(o->listen, &config, host, sizeof(host), err);
	if (rc == IMP_OK)
		rc = net_listen(&lab->net, &lab->loop, &session_handlers, &config, err);
	if (rc == IMP_OK && o->port_file != NULL) {
		snprintf(port, sizeof(port), "%u\n", net_port(&lab->net));
		rc = io_replace(AT_FDCWD, o->port_file, slice_of(port), err);
	}
	if (rc == IMP_OK && o->flood > 0)
		rc = flood_start(lab, err);
	if (rc != IMP_OK)
		return rc;
	log_line(&lab->log, 'I', "main.go:361", "Server v0.25:imlab:undef; pid %d; %ld process(es)", (int)getpid(),
	    sysconf(_SC_NPROCESSORS_ONLN));
	log_line(&lab->log, 'I', "http.go:81", "Listening for client HTTP connections on [%s:%u]", host, net_port(&lab->net));
	uv_timer_init(&lab->loop, &lab->settle);
	lab->settle.data = lab;
	uv_prepare_init(&lab->loop, &lab->flush_log);
	lab->flush_log.data = lab;
	uv_prepare_start(&lab->flush_log, on_log_flush);
	watch_signal(lab, &lab->sigint, SIGINT);
	watch_signal(lab, &lab->sigterm, SIGTERM);
	return IMP_OK;
}

static void
close_handle(uv_handle_t *handle, void *unused)
{
	(void)unused;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

static enum imp_rc
lab_run(struct lab *lab, struct imp_err *err)
{
	enum imp_rc rc;

	uv_loop_init(&lab->loop);
	dir_init(&lab->dir);
	rc = log_open(&lab->log, lab->options.log, err);
	if (rc != IMP_OK)
		return rc;
	lab->log.quiet = lab->options.null_server;
	rc = lab_start(lab, err);
	if (rc == IMP_OK) {
		uv_run(&lab->loop, UV_RUN_DEFAULT);
		/* what was said at the end leaves before the sockets close */
		uv_run(&lab->loop, UV_RUN_NOWAIT);
		net_close(&lab->net);
		link_close(&lab->links);
	}
	flood_stop(lab);
	uv_walk(&lab->loop, close_handle, NULL);
	uv_run(&lab->loop, UV_RUN_DEFAULT);
	store_close(lab);
	api_done(lab->api);
	SSL_CTX_free(lab->tls);
	uv_loop_close(&lab->loop);
	log_close(&lab->log);
	dir_done(&lab->dir);
	VEC_FREE(NULL, &lab->sessions);
	VEC_FREE(NULL, &lab->free_sessions);
	return rc;
}

int
main(int argc, char **argv)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	struct opt_table table = { options, lab != NULL ? &lab->options : NULL };
	struct imp_err err = { IMP_OK, "", "" };
	struct buf help = BUF_INIT(64 << 10);
	enum imp_rc rc;
	int operands;

	if (lab == NULL)
		return EXIT_FAILURE;
	lab->options = defaults;
	signal(SIGPIPE, SIG_IGN);
	uv_os_setenv("UV_THREADPOOL_SIZE", THREADS);
	raise_descriptors();
	rc = opt_parse(&table, 1, argv + 1, argc - 1, &operands, &err);
	if (rc == IMP_OK && operands > 0)
		rc = imp_err_set(&err, IMP_E_USAGE, "unexpected argument \"%s\"", argv[1]);
	if (rc == IMP_OK && lab->options.help) {
		opt_help(options, &help);
		printf("usage: imlab [OPTION]...\n\n%s", help.p);
	} else if (rc == IMP_OK) {
		rc = lab_run(lab, &err);
	}
	if (rc != IMP_OK)
		fprintf(stderr, "imlab: %s\n", err.msg);
	buf_done(&help);
	free(lab);
	return imp_rc_exit_status(rc);
}
