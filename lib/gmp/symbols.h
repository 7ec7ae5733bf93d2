/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The names of GMP's functions, in one array of characters without pointers: the dynamic linker
 * would have to write each pointer at every start. */
#ifndef MPGPU_SYMBOLS_H
#define MPGPU_SYMBOLS_H

#include <string.h>

/* The number of functions in lib/gmp/functions.def, and the number in functions.def and
 * lib/gmp/called.def together. */
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

/* The names of all functions: first the intercepted ones, then those of called.def. Each name ends
 * with its terminating 0. */
extern const char symbols_names[];

/* Returns gmp.h's name: mpz_mul for __gmpz_mul, but gmp_printf for __gmp_printf. */
static inline const char *symbols_public(const char *symbol) {
    return symbol + (strstr(symbol, "printf") || strstr(symbol, "scanf") ? 2 : 3);
}

/* Returns the name that follows `symbol` in symbols_names. */
static inline const char *symbols_next(const char *symbol) {
    return symbol + strlen(symbol) + 1;
}

#endif
