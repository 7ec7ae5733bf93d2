/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products, inside one work-group. */
#ifndef MPGPU_BLOCK_H
#define MPGPU_BLOCK_H

#include "number.h"

/* Whether operands of so many words are small enough. */
int block_fits(uint64_t un, uint64_t vn);

/* r = u v; r.words = u.words + v.words; r lies apart from both. */
int block_mul(struct session *s, struct number r, struct number u, struct number v);

#endif
