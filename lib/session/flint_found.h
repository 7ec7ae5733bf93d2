/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out which version of FLINT the process has loaded. */
#ifndef MPGPU_FLINT_FOUND_H
#define MPGPU_FLINT_FOUND_H

#include <stdbool.h>

struct flint_found {
    const char *version; /* FLINT's version text; NULL if FLINT is not loaded */
    const char *path;
    bool is_known; /* the library intercepts large products of this version of FLINT */
};

/* Returns data of the copy of FLINT that was loaded first. The texts are valid while this FLINT is
 * loaded. Any thread may call it. */
struct flint_found flint_found(void);

/* Returns data of the copy of FLINT whose symbol flint_version is at `version`, which may be
 * NULL. */
struct flint_found flint_found_at(const char *version);

#endif
