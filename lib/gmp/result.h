/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where a result is written.  GMP's memory contract decides, since a program observes it: if a
 * variable's room suffices for the result, the limbs are written there; its room never shrinks; and
 * the program's memory functions are asked for no more than GMP asks for.  The limbs of a variable
 * may be the program's (mpz_array_init): they are never freed or reallocated if the room suffices.
 */
#ifndef MPGPU_RESULT_H
#define MPGPU_RESULT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* A result that must not overlap its operands. */
struct result {
    mpz_ptr w;
    mpz_t fresh;
    bool is_fresh;
    mp_ptr rp; /* where the result is written */
};

/* `limbs` limbs, as many as GMP asks for, for w = f({up, ...}, {vp, ...}).  Returns false if an mpz
 * cannot hold them.  If w is no operand its value may be lost, as with GMP. */
bool result_open(struct result *t, mpz_ptr w, mp_srcptr up, mp_srcptr vp, size_t limbs);

/* w is {rp, n}, which may have zero limbs at its top, negated if asked. */
void result_keep(struct result *t, size_t n, bool negative);

/* Drops the result: operands and, if it is one of them, w are what they were. */
void result_drop(struct result *t);

/* w = x, and clears x, a number of the library's own.  Ends all scratch of this thread
 * (memory_scratch_stop).  w gets x's limbs if its own are too few and the program has no memory
 * functions of its own; otherwise x is copied. */
void result_take(mpz_ptr w, mpz_ptr x);

/* x = 0 with room for `limbs` limbs, for a number of the library's own. */
mp_ptr result_room(mpz_ptr x, size_t limbs);

#endif
