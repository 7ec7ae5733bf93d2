/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Several libgmps in one process, with memory functions of their own.
 *
 * Plug-ins that each bring a libgmp, as modules of Python do, all find this library's functions in
 * the place of theirs.  As long as every libgmp has its memory from malloc, it does not matter
 * which of them computes.  When memory functions have been set, the limbs of a number have to be
 * reallocated by the libgmp that made them: from then on those with another libgmp than the one
 * behind this library are led back to it (lib/gmp/rebind.h).  As a plug-in may be loaded at any
 * time, the real functions look first whether one was, from then on. */
#include "lib/gmp/several.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/base/process.h"
#include "lib/gmp/real.h"
#include "lib/gmp/rebind.h"

enum { DEPTH = 32 }; /* of this library's own calls, at most */

static struct real found; /* what `real` was before */
static atomic_int watching;

static _Atomic unsigned long long seen; /* how much had been loaded at the last look */

bool several_have_come(void) {
    return atomic_load_explicit(&watching, memory_order_relaxed) && real_loads() != seen &&
           !real_is_alone();
}

/* As that, once. */
static bool have_just_come(void) {
    if (!process_is_ours())
        return false;
    unsigned long long loads = real_loads();
    if (loads == atomic_exchange(&seen, loads) || real_is_alone())
        return false;
    rebind_others();
    return true;
}

/* For the one call that has found out: of the first in the stack before this library.  That is
 * the caller, or where it has gone by a jump as its last deed, who called it.  A sanitizer's
 * backtrace has itself above. */
static void *of_stack(const char *symbol) {
    void *frame[DEPTH];
    int depth = backtrace(frame, DEPTH), i = 0;
    while (i < depth && !real_is_ours(frame[i]))
        i++;
    while (i < depth && real_is_ours(frame[i]))
        i++;
    return i < depth ? real_of(frame[i], symbol) : NULL;
}

/* `place`: of the pointer in `found`. */
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

/* Memory functions are found by several_of. */
static void put_forwards(void) {
#define FUNCTION(symbol, type, parameters, arguments) real.symbol = forward_##symbol;
#include "lib/gmp/functions.def"
#undef FUNCTION
    real.mp_set_memory_functions = found.mp_set_memory_functions;
    real.mp_get_memory_functions = found.mp_get_memory_functions;
}

void several_watch(void) {
    if (real_is_in_scope() || atomic_exchange(&watching, 1))
        return;
    found = real;
    put_forwards();
    rebind_others();
}

void *several_of(const void *place, const char *symbol) {
    return real_is_in_scope() || real_is_alone() ? NULL : real_of(place, symbol);
}
