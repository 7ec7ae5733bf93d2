/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of a base of which the highest limbs count. */
#ifndef MPGPU_TEXT_POWER_H
#define MPGPU_TEXT_POWER_H

#include "lib/algorithms/composite.h"

struct text_power {
    mp_ptr p; /* {p, n} * B^dropped */
    size_t n, dropped;
    mp_ptr room;
};

/* base^e by squares, each cut to `most` limbs, as the texts of GMP's mpf have it.  False if memory
 * is short; else text_power_close must follow. */
bool text_power_open(struct text_power *power, struct composite *w, mp_limb_t base, unsigned long e,
                     size_t most);
void text_power_close(struct text_power *power);

#endif
