#include "config.h"

#include "agent/wire_out.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

#define SECRET_BYTES_MAX ((size_t)8192)
#define PROTOCOL_VERSION "0.25"

/* ,"KEY":"VALUE" */
static void
add_text(struct buf *out, const char *key, struct slice value)
{
	buf_addf(out, ",\"%s\":\"", key);
	text_add_json(out, value);
	buf_add_char(out, '"');
}

/* {"VERB":{"id":"ID" */
static void
begin(struct buf *out, const char *verb, const char *id)
{
	buf_addf(out, "{\"%s\":{\"id\":\"", verb);
	text_add_json(out, slice_of(id));
	buf_add_char(out, '"');
}

static void
end(struct buf *out)
{
	buf_add_str(out, "}}");
}

static void
wiped(struct buf *b)
{
	if (b->p != NULL)
		explicit_bzero(b->p, b->cap);
	buf_done(b);
}

/* ,"secret":"base64(NAME:PASSWORD)" */
static void
add_basic_secret(struct buf *out, struct slice name, struct slice password)
{
	CLEANUP(wiped) struct buf plain = BUF_INIT(SECRET_BYTES_MAX);
	unsigned char coded[SECRET_BYTES_MAX / 3 * 4 + 8];
	int n;

	buf_add_slice(&plain, name);
	buf_add_char(&plain, ':');
	buf_add_slice(&plain, password);
	if (buf_status(&plain, NULL) != IMP_OK) {
		out->failed = IMP_E_LIMIT;
		return;
	}
	n = EVP_EncodeBlock(coded, (const unsigned char *)plain.p, (int)plain.n);
	add_text(out, "secret", (struct slice){ (const char *)coded, (size_t)n });
	explicit_bzero(coded, sizeof(coded));
}

void
wire_hi(const struct wire_client *c, const char *id, struct buf *out)
{
	begin(out, "hi", id);
	add_text(out, "ver", SLICE(PROTOCOL_VERSION));
	add_text(out, "ua", slice_of(c->agent));
	if (c->dialect == DIALECT_IM_SERVER && c->tenant != NULL)
		add_text(out, "tenant", slice_of(c->tenant));
	end(out);
}

void
wire_login_basic(const char *id, struct slice name, struct slice password, struct buf *out)
{
	begin(out, "login", id);
	add_text(out, "scheme", SLICE("basic"));
	add_basic_secret(out, name, password);
	end(out);
}

void
wire_login_token(const char *id, struct slice token, struct buf *out)
{
	begin(out, "login", id);
	add_text(out, "scheme", SLICE("token"));
	add_text(out, "secret", token);
	end(out);
}

void
wire_register(const struct wire_client *c, const char *id, struct slice name, struct slice password, struct slice title,
    struct buf *out)
{
	const bool fork = c->dialect == DIALECT_IM_SERVER;

	begin(out, "acc", id);

	add_text(out, "user", SLICE("new"));
	add_text(out, "scheme", SLICE("basic"));
	if (fork) {
		add_text(out, "username", name);
		buf_add_str(out, ",\"registration_type\":0");
		if (c->tenant != NULL)
			add_text(out, "tenant_code", slice_of(c->tenant));
	}
	add_basic_secret(out, name, password);
	buf_add_str(out, ",\"login\":true,\"desc\":{\"public\":{\"fn\":\"");
	text_add_json(out, title);
	buf_add_str(out, "\"}}");
	end(out);
}

void
wire_sub(const char *id, struct slice topic, struct buf *out)
{
	begin(out, "sub", id);
	add_text(out, "topic", topic);
	end(out);
}

void
wire_pub(const struct wire_publish *p, struct buf *out)
{
	static const char filler[] = "load test message; ";
	size_t n = 0;

	begin(out, "pub", p->id);
	add_text(out, "topic", p->topic);
	buf_add_str(out, ",\"noecho\":false,\"head\":{\"mime\":\"application/json\",\"x-im-schema\":1,\"x-im-type\":\"text\"");
	add_text(out, "x-im-client-mid", p->mid);
	buf_add_str(out, "},\"content\":{\"text\":\"");
	do {
		buf_add_str(out, filler);
		n += sizeof(filler) - 1;
	} while (n < p->size);
	buf_add_char(out, '"');
	add_text(out, "run_id", slice_of(p->run_id));
	add_text(out, "scenario", slice_of(p->scenario));
	buf_addf(out, ",\"sender_index\":%" PRIu32 ",\"message_index\":%" PRIu64 ",\"sent_at_unix_nano\":%" PRId64 "}",
	    p->sender_index, p->message_index, p->sent_at_ns);
	end(out);
}

void
wire_get_data(const char *id, struct slice topic, int64_t since, int64_t before, unsigned limit, struct buf *out)
{
	begin(out, "get", id);
	add_text(out, "topic", topic);
	buf_add_str(out, ",\"what\":\"data\",\"data\":{");
	if (since > 0)
		buf_addf(out, "\"since\":%" PRId64 ",", since);
	if (before > 0)
		buf_addf(out, "\"before\":%" PRId64 ",", before);
	buf_addf(out, "\"limit\":%u}", limit);
	end(out);
}
