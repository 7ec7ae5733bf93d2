/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mp_set_memory_functions and mp_get_memory_functions. If the process has several libgmps, they
 * call the function of the caller's libgmp (lib/gmp/multi_libgmp.h). If this is the libgmp behind
 * this library, they call the functions of lib/gmp/memory.h instead. */
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"
#include "lib/gmp/multi_libgmp.h"

/* Returns the function `symbol` of the caller's libgmp, or NULL if that is the libgmp behind this
 * library. The caller is the object that contains the address `place`. If that object uses no
 * libgmp, the caller is the object that contains the address `caller`. */
static void *another(const void *place, const void *caller, const char *symbol) {
    void *address = place ? multi_libgmp_symbol(place, symbol) : NULL;
    return address ? address : multi_libgmp_symbol(caller, symbol);
}

EXPORT void mp_set_memory_functions(memory_allocate *a, memory_reallocate *r, memory_free *f) {
    call_init();
    multi_libgmp_watch();
    __typeof__(real.mp_set_memory_functions) theirs;
    void *address, *place;
    memcpy(&place, &a, sizeof place);
    address = another(place, __builtin_return_address(0), "__gmp_set_memory_functions");
    memcpy(&theirs, &address, sizeof theirs);
    if (theirs)
        theirs(a, r, f);
    else
        memory_set_functions(a, r, f);
}

EXPORT void mp_get_memory_functions(memory_allocate **a, memory_reallocate **r, memory_free **f) {
    call_init();
    __typeof__(real.mp_get_memory_functions) theirs;
    void *place = __builtin_return_address(0),
         *address = another(NULL, place, "__gmp_get_memory_functions");
    memcpy(&theirs, &address, sizeof theirs);
    if (theirs)
        theirs(a, r, f);
    else
        memory_get_functions(a, r, f);
}
