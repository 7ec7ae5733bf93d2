/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The names of GMP's functions. */
#include "lib/gmp/symbols.h"

const char symbols_names[] =
#define FUNCTION(symbol, type, parameters, arguments) #symbol "\0"
#include "lib/gmp/functions.def"
#undef FUNCTION
#define CALLED(symbol, type, parameters, arguments) #symbol "\0"
#define CALLED_VOID(symbol, parameters, arguments) #symbol "\0"
#include "lib/gmp/called.def"
#undef CALLED
#undef CALLED_VOID
    ;
