/* lab_kafka.h - messages into Kafka: stored is what the broker has acknowledged.
 *
 * A record is one line of JSON as tests/lab/pipe reads it: {"mid","topic","seq","id"} and beside these "from", "ts" (ms), "head",
 * "content". Its key is the topic, so that a conversation keeps its order. Threading: the loop's; librdkafka's own threads work behind. */
#pragma once
#include "base/err.h"
#include "lab_store.h"

#define KAFKA_TOPIC_P2P "im.message.persist"
#define KAFKA_TOPIC_GROUP "im.group.message.persist"

struct kafka;

MUST_CHECK enum imp_rc kafka_open(struct lab *lab, struct kafka **ret, struct imp_err *err);
void kafka_close(struct kafka *k); /* waits a moment for what is under way; NULL is nothing */
void kafka_save(struct kafka *k, struct save *save);
