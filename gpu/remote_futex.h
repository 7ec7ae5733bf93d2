/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sleeping until a word of shared memory changes, between processes. */
#ifndef MPGPU_REMOTE_FUTEX_H
#define MPGPU_REMOTE_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Until *word is not `value`, some milliseconds (0: any time), or for no reason. */
static inline void remote_sleep(_Atomic uint32_t *word, uint32_t value, unsigned ms) {
    struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT, value, ms ? &time : NULL, NULL, 0);
}

static inline void remote_wake(_Atomic uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
