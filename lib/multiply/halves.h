/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Joins a product from its halves: modulo B^n - 1 and modulo B^n + 1, B = 2^32. */
#ifndef MPGPU_HALVES_H
#define MPGPU_HALVES_H

#include "lib/device/number.h"

/* r is the lowest r.words words of the P < B^(2n) that is a modulo B^n - 1 and b modulo B^n + 1. If
 * both are 0, r is 0; if a is B^n - 1 instead of 0, r is B^(2n) - 1. Both have n words, a multiple
 * of 2048; r overlaps neither. Queued in the context's queue; uses SLOT_FLAGS.
 *
 * In steps: halves_begin allocates; halves_join joins any range of chunks of CARRY_CHUNK words,
 * reading a and b up to the next word above; halves_end resolves the carries between chunks, once
 * all are joined. */
enum gpu_status halves_begin(struct context *s, uint64_t n);
enum gpu_status halves_join(struct context *s, struct number r, struct number a, struct number b,
                            uint64_t chunk, uint64_t count);
enum gpu_status halves_end(struct context *s, struct number r, uint64_t n);

/* Does the work of all the steps above in one call. */
enum gpu_status halves_make(struct context *s, struct number r, struct number a, struct number b);

#endif
