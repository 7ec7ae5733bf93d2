/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The FLINT that this process has loaded. */
#ifndef MPGPU_FLINT_FOUND_H
#define MPGPU_FLINT_FOUND_H

#include <stdbool.h>

struct flint_found {
    const char *version; /* its own text; NULL: there is no FLINT */
    const char *path;
    bool is_known; /* a version whose large products are caught: others are left alone */
};

/* The one that was loaded first.  Its texts stay as long as it is loaded.  Any thread. */
struct flint_found flint_found(void);

#endif
