/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers inside a composite operation (lib/job/recipe_power.c). */
#ifndef MPGPU_POWER_H
#define MPGPU_POWER_H

#include "lib/algorithms/recipe.h"

/* Returns the limbs of {up, un}^e, or a few more; 0 if un = 0 or e < 2.  It calls no GMP function,
 * since those may not be loaded yet. */
size_t power_limbs(mp_srcptr up, size_t un, unsigned long e);

/* Returns the job of {bp, bn}^e 2^shift, without its result, for bp[bn-1] != 0, e >= 2, shift < 64.
 * `start`, whose limbs the library allocated, must stay until the job is done. */
struct job power_job(mp_srcptr bp, size_t bn, unsigned long e, unsigned shift, mpz_ptr start);

/* r = {up, un}^e, negated if asked, for power_limbs() > 0.  The library allocated r's limbs, and r
 * is not up.  Returns false without memory, or if an mpz cannot hold the result.  Returns false,
 * too, if the odd part of the base is 1, or the power is below the threshold. */
bool power_mpz(struct composite *w, mpz_ptr r, mp_srcptr up, size_t un, unsigned long e,
               bool negative);

#endif
