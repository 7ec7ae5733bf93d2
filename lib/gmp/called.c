/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's functions that this library calls by name, as jumps to the real ones.
 *
 * So the library needs no libgmp to be loaded.  If it did, a preload would bring
 * libgmp.so.10 into the global scope of every program.  Plug-ins that come with a
 * libgmp of their own, as wheels of Python do, would then find half of their
 * functions in the one and half in the other, of another version and with other
 * data: that ends in a crash. */
#include "lib/gmp/real.h"

#define CALLED(symbol, type, parameters, arguments)                                                \
    type symbol parameters {                                                                       \
        real_resolve(); /* one may be called before call_init */                                   \
        return real.symbol arguments;                                                              \
    }
#define CALLED_VOID(symbol, parameters, arguments)                                                 \
    void symbol parameters {                                                                       \
        real_resolve();                                                                            \
        real.symbol arguments;                                                                     \
    }
#include "lib/gmp/called.def"
