/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Options for sanitizers. The runtime of AddressSanitizer or ThreadSanitizer calls these functions
 * by name when a program starts. It calls these definitions unless the program has its own. */
#include "compat/intercept/call.h"
#include "lib/base/unsanitized.h"

EXPORT const char *__asan_default_options(void);
EXPORT const char *__tsan_default_suppressions(void);

/* Turns off a check of gcc's AddressSanitizer, which ends a program if a preloaded library precedes
 * the sanitizer's own. The check is unnecessary, because each libc function of this library calls
 * the next definition. */
UNSANITIZED const char *__asan_default_options(void) {
    return "verify_asan_link_order=0";
}

/* Suppresses ThreadSanitizer's reports about this library. If the library is built without
 * ThreadSanitizer, the sanitizer sees its memory accesses, but not the atomic operations that order
 * its threads. */
UNSANITIZED const char *__tsan_default_suppressions(void) {
#ifdef __SANITIZE_THREAD__
    return "";
#else
    return "called_from_lib:libmpgpu-gmp.so\n";
#endif
}
