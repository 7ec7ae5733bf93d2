/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The libgmp that this process has loaded. */
#ifndef MPGPU_LIBGMP_H
#define MPGPU_LIBGMP_H

struct libgmp {
    const char *version;
    const char *path;
    int inner_calls; /* calls of mpn_mul_n inside go through a slot that the dynamic
                        linker fills: 1 yes, so a preload catches them; 0 no; -1 unknown */
};

struct libgmp libgmp_loaded(void);

#endif
