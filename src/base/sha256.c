#include "config.h"

#include "base/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

enum imp_rc
sha256_begin(struct sha256 *h, struct imp_err *err)
{
	*h = (struct sha256){ .context = NULL };
	if (OSSL_LIB_CTX_get0_global_default() != NULL) /* else it crashes at its first use */
		h->context = EVP_MD_CTX_new();
	if (h->context != NULL && EVP_DigestInit_ex(h->context, EVP_sha256(), NULL) == 1)
		return IMP_OK;
	sha256_done(h);
	return imp_err_set(err, IMP_E_NOMEM, "out of memory: SHA-256");
}

void
sha256_add(struct sha256 *h, const void *p, size_t n)
{
	h->failed |= EVP_DigestUpdate(h->context, p, n) != 1;
}

enum imp_rc
sha256_end(struct sha256 *h, unsigned char ret[SHA256_BYTES], struct imp_err *err)
{
	if (h->failed || EVP_DigestFinal_ex(h->context, ret, NULL) != 1)
		return imp_err_set(err, IMP_E_INTERNAL, "SHA-256 failed in the cryptography library");
	return IMP_OK;
}

void
sha256_done(struct sha256 *h)
{
	EVP_MD_CTX_free(h->context);
	h->context = NULL;
}
