/* collect/collectors.c - every kind of system that is asked, in this order. (A file of its own: a test of the rest brings its own.) */
#include "config.h"

#include <stddef.h>

#include "collect/collect_config.h"

const struct collector *const collectors[COLLECTORS_MAX + 1] = {
	&collector_mysql,
	&collector_kafka,
	&collector_redis,
	&collector_prometheus,
	&collector_kubernetes,
	NULL,
};
