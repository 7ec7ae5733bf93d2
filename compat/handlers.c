/* SPDX-License-Identifier: LGPL-3.0-or-later
 * sigaction: drivers leave the program's signals alone.
 *
 * A compiler in a driver takes over what may end the process, to remove its temporary files, and
 * gives it back when such a signal has come: too late for a garbage collector that stops the
 * threads of the program by signals, several at once.  So in threads of ours, and those that a
 * driver has made in them, sigaction only answers. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "call.h"
#include "lib/worker.h"

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

/* As early as that, since dlsym is not for handlers of signals, which may call sigaction. */
static __attribute__((constructor)) UNSANITIZED void find_sigaction(void) {
    void *address = dlsym(RTLD_NEXT, "sigaction");
    memcpy(&real_sigaction, &address, sizeof address);
}

EXPORT UNSANITIZED int sigaction(int signal, const struct sigaction *restrict action,
                                 struct sigaction *restrict old) {
    if (!real_sigaction)
        find_sigaction();
    if (!real_sigaction) {
        errno = ENOSYS;
        return -1;
    }
    return real_sigaction(signal, action && worker_is_here() ? NULL : action, old);
}
