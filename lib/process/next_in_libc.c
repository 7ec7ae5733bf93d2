/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the C library's own versions of the functions that this library replaces. */
#include "lib/process/next_in_libc.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/objects.h"
#include "lib/base/started.h"
#include "lib/base/unsanitized.h"

static USED_AT_START struct next_in_libc found;

/* Names of the functions, in the order of struct next_in_libc. */
static USED_AT_START char symbols[] = "exit\0sigaction\0__cxa_atexit\0clone\0prctl\0_Fork";
enum { SYMBOLS = 6, NEEDED = 5 };
_Static_assert(sizeof found == SYMBOLS * sizeof(void *), "pointers to functions only");

/* Finds the functions of struct next_in_libc. It is a constructor, because the list of loaded
 * libraries must not be read in a signal handler, and may be locked while a library is being
 * loaded. If a plug-in has loaded this library, the C library precedes this library in the list;
 * then the whole list is searched. */
static __attribute__((constructor)) UNSANITIZED void find_all(void) {
    void *next[SYMBOLS], *any[SYMBOLS] = {NULL};
    bool are_found = true;
    objects_find(&found, NULL, symbols, SYMBOLS, next);
    for (int i = 0; i < NEEDED; i++)
        are_found = are_found && next[i];
    if (!are_found)
        objects_find(NULL, NULL, symbols, SYMBOLS, any);
    for (int i = 0; i < SYMBOLS; i++)
        if (!next[i])
            next[i] = any[i];
    memcpy(&found, next, sizeof found);
}

UNSANITIZED const struct next_in_libc *next_in_libc(void) {
    if (!found.cxa_atexit)
        find_all();
    return &found;
}
