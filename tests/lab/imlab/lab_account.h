/* lab_account.h - {acc} and {login}: accounts made and recognised. */
#pragma once
#include <json-c/json.h>

#include "base/buf.h"
#include "lab.h"

struct account_answer {
	int code;
	const char *text;
	const char *refused; /* why an account was not made, as the log says it; NULL: it was */
	bool login;	     /* the session is now `uid` */
	uint64_t uid;
	struct buf params; /* the caller's to free */
};

void account_make(struct lab *lab, struct json_object *acc, struct account_answer *a);
void account_login(struct lab *lab, struct json_object *login, struct account_answer *a);
