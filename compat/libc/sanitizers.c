/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For programs built with a sanitizer, which calls these functions by name at its start.  It finds
 * them here unless the program defines them. */
#include "compat/intercept/call.h"
#include "lib/base/unsanitized.h"

EXPORT const char *__asan_default_options(void);
EXPORT const char *__tsan_default_suppressions(void);

/* gcc's AddressSanitizer is a shared library.  It ends a program if another library precedes it, as
 * a preloaded one does, because that library could define functions that the sanitizer must define.
 * This library defines only exit, sigaction, __cxa_atexit, clone, _Fork and prctl, which call the
 * next definitions. */
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
