/* lab_flood.h - {data} that nobody published, at a steady rate to one socket after the other: what a client's receiving side is
 * measured with.
 *
 * It begins when `flood_sockets` sessions are attached to a topic other than "me", and goes on to those that are. Each turn of a
 * socket brings it `flood_frames` frames in one segment. The numbers of a topic go on from where they are. */
#pragma once
#include "base/err.h"
#include "lab.h"

MUST_CHECK enum imp_rc flood_start(struct lab *lab, struct imp_err *err);
void flood_stop(struct lab *lab);
