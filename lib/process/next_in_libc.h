/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pointers to the C library's own versions of the functions that this library replaces. */
#ifndef MPGPU_NEXT_IN_LIBC_H
#define MPGPU_NEXT_IN_LIBC_H

#include <signal.h>
#include <sys/types.h>

struct next_in_libc {
    void (*exit)(int);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*cxa_atexit)(void (*function)(void *), void *argument, void *library);
    int (*clone)(int (*function)(void *), void *stack, int flags, void *argument, ...);
    int (*prctl)(int option, ...);
    pid_t (*plain_fork)(void); /* the function _Fork, which glibc has since 2.34 */
};

/* Returns the table of pointers. A pointer is NULL if the C library lacks the function. Any thread
 * may call it, even before sanitizers are initialised (lib/base/unsanitized.h). */
const struct next_in_libc *next_in_libc(void);

#endif
