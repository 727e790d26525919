/* lab_http.h - what the server answers to plain HTTP: /debug/vars, /metrics, and the refusal of a WebSocket without a key. */
#pragma once
#include "lab_net.h"

bool lab_http_may_upgrade(struct conn *c, const struct http_request *request);
void lab_http_request(struct conn *c, const struct http_request *request);
