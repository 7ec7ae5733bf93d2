/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's own functions behind the intercepted ones.  gmp.h's names work here too:
 * real.mpz_mul is a macro's way of writing real.__gmpz_mul. */
#ifndef MPGPU_REAL_H
#define MPGPU_REAL_H

#include <gmp.h>

struct real {
#define FUNCTION(symbol, type, parameters) type(*symbol) parameters;
#include "functions.def"
#undef FUNCTION
};

/* NULL pointers until real_resolve, which call_begin sees to. */
extern __attribute__((visibility("hidden"))) struct real real;

/* Find them all: in the next library that has them, or else in libgmp.so.10.
 * One that is in neither gets a stand-in that says so and aborts, as the dynamic
 * linker would have done with the program: there is no right result to return. */
void real_resolve(void);

#endif
