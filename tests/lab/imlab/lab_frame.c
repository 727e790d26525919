#include "config.h"

#include "lab_frame.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>

#define WS_CONTROL_MAX 125

static struct frame *
frame_new(size_t n)
{
	struct frame *f = malloc(sizeof(*f) + n);

	if (f != NULL) {
		f->refs = 1;
		f->n = n;
	}
	return f;
}

struct frame *
frame_ws(enum ws_opcode opcode, struct slice payload)
{
	size_t head = payload.n < 126 ? 2 : payload.n <= UINT16_MAX ? 4 : 10;
	struct frame *f = frame_new(head + payload.n);

	if (f == NULL)
		return NULL;
	f->bytes[0] = (unsigned char)(0x80 | opcode);
	if (head == 2) {
		f->bytes[1] = (unsigned char)payload.n;
	} else {
		f->bytes[1] = head == 4 ? 126 : 127;
		for (size_t i = 2; i < head; i++)
			f->bytes[i] = (unsigned char)((uint64_t)payload.n >> (8 * (head - 1 - i)));
	}
	if (payload.n > 0)
		memcpy(f->bytes + head, payload.p, payload.n);
	return f;
}

struct frame *
frame_raw(struct slice bytes)
{
	struct frame *f = frame_new(bytes.n);

	if (f != NULL && bytes.n > 0)
		memcpy(f->bytes, bytes.p, bytes.n);
	return f;
}

struct frame *
frame_ref(struct frame *f)
{
	if (f != NULL)
		f->refs++;
	return f;
}

void
frame_unref(struct frame *f)
{
	if (f != NULL && --f->refs == 0)
		free(f);
}

enum ws_parsed
ws_parse_head(const unsigned char *p, size_t n, struct ws_head *ret)
{
	size_t length_bytes;

	if (n < 2)
		return WS_INCOMPLETE;
	ret->final = p[0] & 0x80;
	ret->opcode = p[0] & 0x0f;
	ret->payload = p[1] & 0x7f;
	length_bytes = ret->payload == 126 ? 2 : ret->payload == 127 ? 8 : 0;
	if ((p[0] & 0x70) != 0 || (p[1] & 0x80) == 0)
		return WS_BROKEN;
	if (ret->opcode >= WS_CLOSE ? !ret->final || ret->payload > WS_CONTROL_MAX || ret->opcode > WS_PONG :
				      ret->opcode > WS_BINARY)
		return WS_BROKEN;
	ret->head = 2 + length_bytes + sizeof(ret->mask);
	if (n < ret->head)
		return WS_INCOMPLETE;
	if (length_bytes > 0)
		ret->payload = 0;
	for (size_t i = 0; i < length_bytes; i++)
		ret->payload = ret->payload << 8 | p[2 + i];
	memcpy(ret->mask, p + 2 + length_bytes, sizeof(ret->mask));
	return WS_PARSED;
}

void
ws_unmask(unsigned char *p, size_t n, const unsigned char mask[4])
{
	for (size_t i = 0; i < n; i++)
		p[i] ^= mask[i & 3];
}

void
ws_accept(struct slice key, char ret[WS_ACCEPT_BYTES])
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	unsigned char text[128], digest[SHA_DIGEST_LENGTH];
	size_t n = key.n < sizeof(text) - sizeof(guid) ? key.n : sizeof(text) - sizeof(guid);

	memcpy(text, key.p, n);
	memcpy(text + n, guid, sizeof(guid) - 1);
	SHA1(text, n + sizeof(guid) - 1, digest);
	EVP_EncodeBlock((unsigned char *)ret, digest, sizeof(digest));
}
