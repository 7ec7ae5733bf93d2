/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The highest limbs of powers of a base. */
#ifndef MPGPU_TEXT_POWER_H
#define MPGPU_TEXT_POWER_H

#include "lib/algorithms/composite.h"

struct text_power {
    mp_ptr p; /* the number {p, n} * 2^(64 * dropped) */
    size_t n, dropped;
    mp_ptr room;
};

/* Computes base^e by squarings, each truncated to `most` limbs, as GMP's conversion of mpf does.
 * Returns false if memory is missing; otherwise text_power_close must follow. */
bool text_power_open(struct text_power *power, struct composite *w, mp_limb_t base, unsigned long e,
                     size_t most);
void text_power_close(struct text_power *power);

#endif
