#include "gen-util.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t rng[4]; /* xoshiro256** */

static uint64_t
rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

static uint64_t
rng_next(void)
{
	uint64_t result = rotl(rng[1] * 5, 7) * 9, t = rng[1] << 17;

	rng[2] ^= rng[0];
	rng[3] ^= rng[1];
	rng[1] ^= rng[2];
	rng[0] ^= rng[3];
	rng[2] ^= t;
	rng[3] = rotl(rng[3], 45);
	return result;
}

void
rng_seed(uint64_t seed)
{
	for (int i = 0; i < 4; i++) { /* splitmix64 */
		uint64_t z = seed += 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		rng[i] = z ^ z >> 31;
	}
}

/* Uniform in (0,1), exponential with mean 1, standard normal. */
double
uniform(void)
{
	return ((rng_next() >> 11) + 0.5) / 9007199254740992.0;
}

double
exponential(void)
{
	return -log(uniform());
}

double
normal(void)
{
	double r = sqrt(-2 * log(uniform()));

	return r * cos(6.283185307179586 * uniform());
}

uint32_t
below(uint32_t n)
{
	return rng_next() % n;
}

/* A server-made name: prefix and n characters derived from the number. */
const char *
server_name(const char *prefix, uint32_t number, int n)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "abcdefghijklmnopqrstuvwxyz0123456789-_";
	static char ring[4][40];
	static int next;
	char *s = ring[next++ & 3];
	size_t k = strlen(prefix);
	uint64_t h = (number + 1) * 0x9e3779b97f4a7c15;

	memcpy(s, prefix, k);
	while (n-- > 0) {
		h ^= h >> 29;
		h *= 0xbf58476d1ce4e5b9;
		s[k++] = alphabet[h >> 40 & 63];
	}
	s[k] = '\0';
	return s;
}

FILE *
open_output(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	/* make the folders on the way */
	for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST) {
			perror(path);
			exit(1);
		}
		*p = '/';
	}
	f = fopen(path, "w");
	if (f == NULL) {
		perror(path);
		exit(1);
	}
	setvbuf(f, NULL, _IOFBF, 1 << 20);
	return f;
}

void
close_output(FILE *f)
{
	if (ferror(f) || fclose(f) != 0) {
		perror("gen: write");
		exit(1);
	}
}
