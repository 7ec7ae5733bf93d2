/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies between two devices that compute one composite operation (lib/calc/calc_pair.h): halves of
 * products, and of long operands, of which each device uploads a half by its own link. */
#ifndef MPGPU_CALC_LEND_H
#define MPGPU_CALC_LEND_H

#include "lib/calc/calc.h"
#include "lib/calc/calc_pair.h"

/* Offers `mine`, which must be complete, and waits for the other's offer, *other. The other's
 * number must be at the place of `theirs`, in the other's memory. */
void calc_meet(struct calc *c, struct number mine, struct number theirs, struct calc_offer *other);

/* As calc_meet, and copies the other's number to x. */
void calc_exchange(struct calc *c, struct number x, struct number mine, struct number theirs);

/* Returns memory for an operand of `words` words, `limbs` limbs of which are in host memory. If it
 * is long, the other device may copy from it; it then stays until the end, and must not be written
 * again. */
struct number calc_lend_take(struct calc *c, uint64_t words, uint64_t limbs);

/* After planning, allocates that memory and the memory for halves of products. Returns GPU_ABSENT
 * if no product is computed in halves. */
enum gpu_status calc_lend_room(struct calc *c);

/* As calc_need for two devices, which must call it with the same x in the same order. */
void calc_lend_need(struct calc *c, struct number x);

#endif
