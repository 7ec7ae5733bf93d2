/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The C library's functions behind those of ours that have their names. */
#ifndef MPGPU_BEHIND_H
#define MPGPU_BEHIND_H

#include <signal.h>

struct behind {
    void (*exit)(int);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*cxa_atexit)(void (*function)(void *), void *argument, void *library);
};

/* NULL where there is none.  Any thread, as early as is UNSANITIZED (worker.h). */
const struct behind *behind(void);

#endif
