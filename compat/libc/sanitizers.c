/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs that are built with a sanitizer.  It calls these functions by their names at its start,
 * and finds them here unless the program has its own. */
#include "compat/intercept/call.h"
#include "lib/base/unsanitized.h"

EXPORT const char *__asan_default_options(void);
EXPORT const char *__tsan_default_suppressions(void);

/* gcc's AddressSanitizer is a library that the program needs.  It ends a program where another
 * library precedes it, as a preloaded one does, since that could define functions which the
 * sanitizer has to define.  This library defines none of them but exit, sigaction, __cxa_atexit,
 * clone, _Fork and prctl, which call the next ones. */
UNSANITIZED const char *__asan_default_options(void) {
    return "verify_asan_link_order=0";
}

/* ThreadSanitizer sees the memory that this library copies and frees, but not the atomic operations
 * that order its threads, unless it is built with that, too. */
UNSANITIZED const char *__tsan_default_suppressions(void) {
#ifdef __SANITIZE_THREAD__
    return "";
#else
    return "called_from_lib:libmpgpu-gmp.so\n";
#endif
}
