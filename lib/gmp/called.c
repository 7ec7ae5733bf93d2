/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's functions that this library calls by name, as jumps to the real ones.
 *
 * With these jumps the library loads without libgmp. Otherwise a preload would put libgmp.so.10
 * into the global scope of every program. Plug-ins with a libgmp of their own, such as wheels of
 * Python, would then find some of their functions in one libgmp and some in the other. Versions and
 * data of the two differ, which ends in a crash. */
#include "lib/gmp/real.h"

#define CALLED(symbol, type, parameters, arguments)                                                \
    type symbol parameters {                                                                       \
        real_resolve(); /* call_init may not have run yet */                                       \
        return real.symbol arguments;                                                              \
    }
#define CALLED_VOID(symbol, parameters, arguments)                                                 \
    void symbol parameters {                                                                       \
        real_resolve();                                                                            \
        real.symbol arguments;                                                                     \
    }
#include "lib/gmp/called.def"
