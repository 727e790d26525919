/* Any bytes as the body of a delivery block: refused, or every member can be read, by both ways alike, and what was read packs into
 * a body that says the same. */
#include "config.h"

#include "fuzz.h"
#include "store/block.h"

#define MEMBERS_MAX 10000

static int64_t first[MEMBERS_MAX], second[MEMBERS_MAX];

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf body = BUF_INIT((size_t)1 << 20);
	struct block b, again;
	uint32_t half;

	if (block_open((struct slice){ (const char *)data, size }, &b, NULL) != IMP_OK || b.members > MEMBERS_MAX)
		return 0;
	half = b.members / 2;
	block_decode(&b, 0, half, first);
	block_decode(&b, half, b.members - half, first + half);
	for (uint32_t i = 0; i < b.members; i++)
		must(block_get(&b, i) == first[i]);
	block_encode(b.seq, first, b.members, &body);
	must(buf_status(&body, NULL) == IMP_OK && block_open(buf_slice(&body), &again, NULL) == IMP_OK);
	must(again.seq == b.seq && again.members == b.members);
	block_decode(&again, 0, again.members, second);
	must(b.members == 0 || memcmp(first, second, b.members * sizeof(*first)) == 0);
	buf_done(&body);
	return 0;
}
