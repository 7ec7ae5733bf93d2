/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts prctl, to learn that the program is about to filter its system calls (seccomp).
 *
 * A filter may end the process at any system call that it does not allow, even if the library only
 * asks whether there is a filter. So the library must know of a filter before it is installed. */
#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "compat/intercept/call.h"
#include "lib/base/unsanitized.h"
#include "lib/process/next_in_libc.h"
#include "lib/session/session.h"

/* Returns true if the program is about to install a filter. A program without privileges sets
 * PR_SET_NO_NEW_PRIVS first, even if it then calls seccomp(2) directly. */
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
        /* Initialises the library now, because it must not do so after the filter is set. */
        call_init();
    }
    return next_in_libc()->prctl(option, a[0], a[1], a[2], a[3]);
}
