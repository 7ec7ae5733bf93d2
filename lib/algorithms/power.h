/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers inside a composite operation (lib/job/recipe_power.c). */
#ifndef MPGPU_POWER_H
#define MPGPU_POWER_H

#include "lib/algorithms/recipe.h"

/* Limbs of {up, un}^e, or a few more; 0 for the powers that are none.  Without GMP's
 * functions, which may not be there yet. */
size_t power_limbs(mp_srcptr up, size_t un, unsigned long e);

/* Returns the job of {bp, bn}^e 2^shift, bp[bn-1] != 0, e >= 2, shift < 64, without its result.
 * `start`, a number of the library's own, must stay until the job is done. */
struct job power_job(mp_srcptr bp, size_t bn, unsigned long e, unsigned shift, mpz_ptr start);

/* r = {up, un}^e, negated if asked, power_limbs() > 0, for a number r of the library's own, which
 * up is not.  False if there is no memory, or none for the result in an mpz; also where all but a
 * power of two is 1 or below the threshold. */
bool power_mpz(struct composite *w, mpz_ptr r, mp_srcptr up, size_t un, unsigned long e,
               bool negative);

#endif
