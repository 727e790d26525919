#include "config.h"

#include "lab_tls.h"

#include <openssl/err.h>

enum imp_rc
tls_open(const char *certificate, const char *key, SSL_CTX **ret, struct imp_err *err)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	if (context == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
	    SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
		char why[256];

		ERR_error_string_n(ERR_get_error(), why, sizeof(why));
		SSL_CTX_free(context);
		return imp_err_set(err, IMP_E_NOINPUT, "%s, %s: %s", certificate, key, why);
	}
	*ret = context;
	return IMP_OK;
}

SSL *
tls_accept(SSL_CTX *context)
{
	SSL *ssl = SSL_new(context);
	BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());

	if (ssl == NULL || in == NULL || out == NULL) {
		SSL_free(ssl);
		BIO_free(in);
		BIO_free(out);
		return NULL;
	}
	SSL_set_bio(ssl, in, out);
	SSL_set_accept_state(ssl);
	return ssl;
}

void
tls_put(SSL *ssl, const void *p, size_t n)
{
	BIO_write(SSL_get_rbio(ssl), p, (int)n);
}

int
tls_get(SSL *ssl, void *p, size_t n)
{
	int got;

	ERR_clear_error();
	got = SSL_read(ssl, p, (int)n);
	if (got > 0)
		return got;
	return SSL_get_error(ssl, got) == SSL_ERROR_WANT_READ ? 0 : -1;
}

bool
tls_write(SSL *ssl, const void *p, size_t n)
{
	ERR_clear_error();
	return n == 0 || SSL_write(ssl, p, (int)n) == (int)n;
}

struct frame *
tls_take(SSL *ssl)
{
	char *p = NULL;
	long n = BIO_get_mem_data(SSL_get_wbio(ssl), &p);
	struct frame *f = n > 0 ? frame_raw((struct slice){ p, (size_t)n }) : NULL;

	if (f != NULL)
		(void)BIO_reset(SSL_get_wbio(ssl));
	return f;
}
