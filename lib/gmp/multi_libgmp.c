/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Several libgmps in one process, each with its own memory functions.
 *
 * Plug-ins that each bring a libgmp, such as modules of Python, all find this library's functions
 * instead of theirs. While every libgmp allocates by malloc, it does not matter which of them
 * computes. Once memory functions have been set, the limbs of a number must be reallocated by the
 * libgmp that allocated them. From then on, objects that need another libgmp than the one behind
 * this library are rebound to it (lib/gmp/rebind.h). A plug-in may be loaded at any time, so from
 * then on each real function first checks whether one was. */
#include "lib/gmp/multi_libgmp.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/base/process.h"
#include "lib/gmp/real.h"
#include "lib/gmp/rebind.h"

enum { DEPTH = 32 }; /* most stack frames that of_stack searches for the caller */

static struct real found; /* copy of `real` from before put_forwards has replaced its pointers */
static atomic_int watching;

static _Atomic unsigned long long seen; /* value of real_loads at the last check */

bool multi_libgmp_loaded(void) {
    return atomic_load_explicit(&watching, memory_order_relaxed) && real_loads() != seen &&
           !real_is_alone();
}

/* Returns true if another libgmp has been loaded since the last call of this function. Then rebinds
 * the objects that need it. */
static bool have_just_come(void) {
    if (!process_is_ours())
        return false;
    unsigned long long loads = real_loads();
    if (loads == atomic_exchange(&seen, loads) || real_is_alone())
        return false;
    rebind_others();
    return true;
}

/* Finds the function for the call that has detected a new libgmp. The call comes from the first
 * frame outside of this library's frames; after a tail call, that is the caller's caller. A
 * sanitizer adds frames of its own on top. */
static void *of_stack(const char *symbol) {
    void *frame[DEPTH];
    int depth = backtrace(frame, DEPTH), i = 0;
    while (i < depth && !real_is_ours(frame[i]))
        i++;
    while (i < depth && real_is_ours(frame[i]))
        i++;
    return i < depth ? real_of(frame[i], symbol) : NULL;
}

/* Returns the address of GMP's function for the current call. `place` points to the function's
 * pointer in `found`, which is used unless a new libgmp was loaded. */
static void *look_up(const void *place, const char *symbol) {
    void *address = have_just_come() ? of_stack(symbol) : NULL;
    if (!address)
        memcpy(&address, place, sizeof address);
    return address;
}

#define FUNCTION(symbol, type, parameters, arguments)                                              \
    static type forward_##symbol parameters {                                                      \
        type(*function) parameters;                                                                \
        void *address = look_up(&found.symbol, #symbol);                                           \
        memcpy(&function, &address, sizeof function);                                              \
        return function arguments;                                                                 \
    }
#include "lib/gmp/functions.def"
#undef FUNCTION

/* Points `real` to the forwarding functions. Leaves out the memory functions, which
 * multi_libgmp_symbol finds. */
static void put_forwards(void) {
#define FUNCTION(symbol, type, parameters, arguments) real.symbol = forward_##symbol;
#include "lib/gmp/functions.def"
#undef FUNCTION
    real.mp_set_memory_functions = found.mp_set_memory_functions;
    real.mp_get_memory_functions = found.mp_get_memory_functions;
}

void multi_libgmp_watch(void) {
    if (real_is_in_scope() || atomic_exchange(&watching, 1))
        return;
    found = real;
    put_forwards();
    rebind_others();
}

void *multi_libgmp_symbol(const void *place, const char *symbol) {
    return real_is_in_scope() || real_is_alone() ? NULL : real_of(place, symbol);
}
