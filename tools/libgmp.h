/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the libgmp that this process has loaded. */
#ifndef MPGPU_LIBGMP_H
#define MPGPU_LIBGMP_H

struct libgmp {
    const char *version;
    const char *path;
    /* 1: libgmp calls its own mpn_mul_n through a slot that the dynamic linker fills, so a preload
     * can intercept the call; 0: libgmp calls mpn_mul_n directly; -1: unknown */
    int inner_calls;
};

struct libgmp libgmp_loaded(void);

#endif
