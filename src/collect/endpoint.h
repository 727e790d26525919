/* collect/endpoint.h - where a server listens and how a connection to it is protected, as the configuration says it.
 *
 *	address: db-1:3306              or   socket: /run/mysqld/mysqld.sock
 *	tls: true                       or   tls: {ca: ca.pem, cert: client.pem, key: client.key}
 *
 * Ownership: text lives in the arena. Pure. Errors: IMP_E_RULE with file:line:column. */
#pragma once
#include "base/arena.h"
#include "base/doc.h"
#include "base/err.h"

struct endpoint {
	const char *address;	 /* as it was given, for messages and the journal */
	const char *host, *port; /* NULL: `socket` */
	const char *socket;	 /* path; NULL: `host` */
	bool tls;
	const char *ca, *cert, *key; /* files of PEM; NULL: the system's authorities; no client certificate */
};

/* Read the keys `address`, `socket` and `tls` of a map. */
MUST_CHECK enum imp_rc endpoint_read(struct arena *arena, const struct doc_node *map, const char *default_port,
    struct endpoint *ret, struct imp_err *err);
