/* bench/gen-util.h - what the generator stands on: random numbers that are the same everywhere, made-up names, output files. */
#pragma once
#include <stdint.h>
#include <stdio.h>

void rng_seed(uint64_t seed);
double uniform(void);	    /* in (0,1) */
double exponential(void);   /* mean 1 */
double normal(void);	    /* mean 0, deviation 1 */
uint32_t below(uint32_t n); /* 0 … n-1 */

/* A name as a server makes them: prefix and n characters derived from the number. Good until the fourth next call. */
const char *server_name(const char *prefix, uint32_t number, int n);

/* A file below `dir`, its folders made on the way. Both exit with a message when it cannot be written. */
FILE *open_output(const char *dir, const char *name);
void close_output(FILE *f);
