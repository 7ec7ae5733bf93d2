/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sleeping until a word of memory changes: the system call itself, which is no cancellation point
 * as the C library's waits are. */
#ifndef MPGPU_FUTEX_H
#define MPGPU_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Other processes see the word too, or this one alone. */
enum futex_scope { FUTEX_SHARED = 0, FUTEX_OURS = FUTEX_PRIVATE_FLAG };

/* Until *word is not `value`, at most so many nanoseconds; or for no reason. */
static inline void futex_sleep(atomic_uint *word, unsigned value, int64_t ns,
                               enum futex_scope scope) {
    struct timespec time = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT | (int)scope, value, &time, NULL, 0);
}

static inline void futex_wake(atomic_uint *word, enum futex_scope scope) {
    syscall(SYS_futex, word, FUTEX_WAKE | (int)scope, INT_MAX, NULL, NULL, 0);
}

#endif
