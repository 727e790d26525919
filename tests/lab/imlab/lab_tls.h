/* lab_tls.h - TLS over bytes that somebody else moves: what came is put in, what is to go is taken out. One thread. */
#pragma once
#include <openssl/ssl.h>

#include "base/err.h"
#include "base/slice.h"
#include "lab_frame.h"

MUST_CHECK enum imp_rc tls_open(const char *certificate, const char *key, SSL_CTX **ret, struct imp_err *err); /* PEM files */

/* The server's side of a connection, SSL_free()d by the caller; NULL when there is no memory. */
SSL *tls_accept(SSL_CTX *context);

void tls_put(SSL *ssl, const void *p, size_t n);
/* Decrypted bytes: how many, 0 when there is nothing more, -1 when the connection is over. */
int tls_get(SSL *ssl, void *p, size_t n);
/* Encrypt; take out what is to be sent with tls_take(). */
bool tls_write(SSL *ssl, const void *p, size_t n);
/* What is to be sent, the caller's; NULL when there is nothing. */
struct frame *tls_take(SSL *ssl);
