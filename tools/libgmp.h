/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The libgmp that this process has loaded. */
#ifndef MPGPU_LIBGMP_H
#define MPGPU_LIBGMP_H

struct libgmp {
    const char *version;
    const char *path;
    int inner_calls; /* 1: its own calls of mpn_mul_n go through a slot that the dynamic linker
                        fills, so a preload intercepts them; 0: they don't; -1: unknown */
};

struct libgmp libgmp_loaded(void);

#endif
