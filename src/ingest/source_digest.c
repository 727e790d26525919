#include "config.h"

#include "ingest/source_digest.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct digest {
	struct sha256 hash;
	bool threaded;
	bool busy; /* the thread holds the block */
	pthread_t thread;
	sem_t given, taken; /* a block was handed over; it was worked off */
	const void *block;  /* NULL: the thread is to end */
	size_t n;
};

static void
wait_for(sem_t *sem)
{
	while (sem_wait(sem) != 0 && errno == EINTR) {
	}
}

static void *
run(void *arg)
{
	struct digest *d = arg;

	for (;;) {
		wait_for(&d->given);
		if (d->block == NULL)
			return NULL;
		sha256_add(&d->hash, d->block, d->n);
		sem_post(&d->taken);
	}
}

static void
settle(struct digest *d)
{
	if (d->busy)
		wait_for(&d->taken);
	d->busy = false;
}

static void
start_thread(struct digest *d)
{
	if (sem_init(&d->given, 0, 0) != 0)
		return;
	if (sem_init(&d->taken, 0, 0) != 0) {
		sem_destroy(&d->given);
		return;
	}
	d->threaded = pthread_create(&d->thread, NULL, run, d) == 0;
	if (!d->threaded) {
		sem_destroy(&d->given);
		sem_destroy(&d->taken);
	}
}

static void
stop_thread(struct digest *d)
{
	if (!d->threaded)
		return;
	settle(d);
	d->block = NULL;
	sem_post(&d->given);
	pthread_join(d->thread, NULL);
	sem_destroy(&d->given);
	sem_destroy(&d->taken);
	d->threaded = false;
}

enum imp_rc
digest_new(bool threaded, struct digest **ret, struct imp_err *err)
{
	struct digest *d = calloc(1, sizeof(*d));
	enum imp_rc rc;

	if (d == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	rc = sha256_begin(&d->hash, err);
	if (rc != IMP_OK) {
		free(d);
		return rc;
	}
	if (threaded)
		start_thread(d);
	*ret = d;
	return IMP_OK;
}

void
digest_free(struct digest *d)
{
	if (d == NULL)
		return;
	stop_thread(d);
	sha256_done(&d->hash);
	free(d);
}

void
digest_add(struct digest *d, const void *p, size_t n)
{
	settle(d);
	if (n == 0)
		return;
	if (!d->threaded) {
		sha256_add(&d->hash, p, n);
		return;
	}
	d->block = p;
	d->n = n;
	d->busy = true;
	sem_post(&d->given);
}

void
digest_reuse(struct digest *d, const void *p, size_t n)
{
	const char *first = p, *held = d->block;

	if (d->busy && first < held + d->n && held < first + n)
		settle(d);
}

enum imp_rc
digest_final(struct digest *d, unsigned char ret[DIGEST_BYTES], struct imp_err *err)
{
	stop_thread(d);
	return sha256_end(&d->hash, ret, err);
}
