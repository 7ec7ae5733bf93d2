/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What lies before the numbers of a composite operation, and is the same to lib/calc's files. */
#ifndef MPGPU_CALC_HEAD_H
#define MPGPU_CALC_HEAD_H

#include "lib/calc/calc.h"

/* Words: 1 where a demand did not hold; flags, in turn; parts of residues. */
#define CALC_WRONG 0
#define CALC_FLAGS 32
#define CALC_FLAGS_MOST 32
#define CALC_PARTS 64
#define CALC_PARTS_GROUPS 32 /* of each of five numbers */
#define CALC_HEAD (CALC_PARTS + 5 * CALC_PARTS_GROUPS * 2)

/* Is work to be put into the queue? */
bool calc_is_on(const struct calc *c);

/* Waits for all products modulo B^n - 1 since the entries began; GPU_ABSENT where one is not
 * reduced. */
void calc_settle_open(struct calc *c);

#endif
