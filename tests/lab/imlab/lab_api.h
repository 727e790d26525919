/* lab_api.h - the HTTP interface of the im-server dialect: friends, conversations, groups. README.md has its requests and answers.
 *
 * Everything it does is a change of the directory, which each node can make; system messages go to the topic's master. */
#pragma once
#include "lab_net.h"

/* Is this path one of the interface's? */
bool api_path(struct slice path);
void api_request(struct conn *c, const struct http_request *request);

struct api_memory;
void api_done(struct api_memory *memory); /* NULL is nothing */
