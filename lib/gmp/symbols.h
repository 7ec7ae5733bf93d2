/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The names of GMP's functions, as text without pointers. The dynamic linker would have to write
 * each pointer in every process that starts. */
#ifndef MPGPU_SYMBOLS_H
#define MPGPU_SYMBOLS_H

#include <string.h>

/* The counts of functions in lib/gmp/functions.def, and in that and lib/gmp/called.def. */
#define FUNCTION(symbol, type, parameters, arguments) +1
#define CALLED(symbol, type, parameters, arguments) +1
#define CALLED_VOID(symbol, parameters, arguments) +1
enum {
    SYMBOLS_INTERCEPTED = 0
#include "lib/gmp/functions.def"
    ,
    SYMBOLS_ALL = SYMBOLS_INTERCEPTED
#include "lib/gmp/called.def"
};
#undef FUNCTION
#undef CALLED
#undef CALLED_VOID

/* The intercepted ones, then the called ones, one name after the other, each with its terminating
 * 0. */
extern const char symbols_names[];

/* Returns gmp.h's name: mpz_mul for __gmpz_mul, but gmp_printf for __gmp_printf. */
static inline const char *symbols_public(const char *symbol) {
    return symbol + (strstr(symbol, "printf") || strstr(symbol, "scanf") ? 2 : 3);
}

/* Returns the next function's name. */
static inline const char *symbols_next(const char *symbol) {
    return symbol + strlen(symbol) + 1;
}

#endif
