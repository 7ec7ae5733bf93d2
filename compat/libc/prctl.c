/* SPDX-License-Identifier: LGPL-3.0-or-later
 * prctl: the program is about to filter its system calls.
 *
 * A filter may end the process at any call that it does not know, also at the question whether
 * there is one.  So the library hears of a filter before it is there. */
#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "compat/intercept/call.h"
#include "lib/base/unsanitized.h"
#include "lib/process/next_in_libc.h"
#include "lib/session/session.h"

/* A program without privileges sets PR_SET_NO_NEW_PRIVS first, also one that calls seccomp(2). */
static UNSANITIZED bool announces_filter(int option) {
    return option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS;
}

EXPORT UNSANITIZED int prctl(int option, ...) {
    unsigned long a[4];
    va_list more;
    va_start(more, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(more, unsigned long);
    va_end(more);
    if (!next_in_libc()->prctl) {
        errno = ENOSYS;
        return -1;
    }
    if (announces_filter(option)) {
        session_expect_filter();
        call_init(); /* so that a later first call has nothing to do */
    }
    return next_in_libc()->prctl(option, a[0], a[1], a[2], a[3]);
}
