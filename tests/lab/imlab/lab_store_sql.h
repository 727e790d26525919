/* lab_store_sql.h - the statements of the store and what their rows become. Pure but for the directory that the load_ functions fill. */
#pragma once
#include <mysql.h>

#include "lab_store.h"

void sql_touch_topic(struct buf *out, const struct save *s);
void sql_insert_message(struct buf *out, const struct save *s);
void sql_select_messages(struct buf *out, const struct history *h);
void sql_select_persisted(struct buf *out, const struct history *h); /* what came through Kafka */
void rows_of_messages(struct history *h, MYSQL_RES *result);
void rows_of_persisted(struct history *h, MYSQL_RES *result);

void sql_upsert_user(struct buf *out, const struct user *u);
void sql_upsert_auth(struct buf *out, const struct user *u);
void sql_upsert_topic(struct buf *out, const struct topic *t);
void sql_upsert_member(struct buf *out, const struct topic *t, const struct member *m);

/* 0: users, 1: topics, 2: members, for the function of the same number. */
void sql_select_directory(struct buf *out, size_t which);
void load_users(struct lab *lab, MYSQL_RES *result);
void load_topics(struct lab *lab, MYSQL_RES *result);
void load_members(struct lab *lab, MYSQL_RES *result);
