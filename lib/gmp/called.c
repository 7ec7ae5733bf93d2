/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Defines GMP's functions that this library calls by name; each calls libgmp's function of that
 * name. So the library need not be linked with libgmp.
 *
 * If it were linked, a preload (LD_PRELOAD) would put libgmp.so.10 into the global scope of every
 * program. A plug-in with a libgmp of its own, such as a Python wheel, would then mix functions of
 * two libgmps and crash. */
#include "lib/gmp/real.h"

#define CALLED(symbol, type, parameters, arguments)                                                \
    type symbol parameters {                                                                       \
        real_resolve(); /* possibly the table `real` is not filled yet */                          \
        return real.symbol arguments;                                                              \
    }
#define CALLED_VOID(symbol, parameters, arguments)                                                 \
    void symbol parameters {                                                                       \
        real_resolve();                                                                            \
        real.symbol arguments;                                                                     \
    }
#include "lib/gmp/called.def"
