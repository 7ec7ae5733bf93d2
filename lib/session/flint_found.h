/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The FLINT that this process has loaded. */
#ifndef MPGPU_FLINT_FOUND_H
#define MPGPU_FLINT_FOUND_H

#include <stdbool.h>

struct flint_found {
    const char *version; /* FLINT's version text; NULL if FLINT is not loaded */
    const char *path;
    bool is_known; /* large products of this version are intercepted */
};

/* Returns the FLINT that was loaded first. Its text is valid while that FLINT is loaded. Any
 * thread. */
struct flint_found flint_found(void);

#endif
