/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The C library's functions that this library's functions of the same name replace. */
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
    pid_t (*plain_fork)(void); /* _Fork, of glibc 2.34 and later */
};

/* Returns the table; an entry is NULL if the C library lacks it. Any thread, as early as
 * UNSANITIZED code (lib/base/unsanitized.h). */
const struct next_in_libc *next_in_libc(void);

#endif
