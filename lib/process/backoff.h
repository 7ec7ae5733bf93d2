/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waiting for another thread that is at work on what is waited for: looks without a
 * pause first, since to be woken takes 20 to 200 us, and naps later. */
#ifndef MPGPU_BACKOFF_H
#define MPGPU_BACKOFF_H

struct backoff {
    double awake; /* seconds without a nap */
    double since; /* 0 before the first look */
    unsigned looks;
};

/* Between one look and the next; a nap is a fraction of the time waited so far. */
void backoff_wait(struct backoff *p);

/* A breath between two looks at a word that another CPU will write. */
static inline void backoff_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

#endif
