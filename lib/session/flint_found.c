/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out which version of FLINT the process has loaded. */
#include "lib/session/flint_found.h"

#include <stddef.h>
#include <stdlib.h>

#include "lib/base/objects.h"

/* Returns true for FLINT 2.x and 3.x; 2.5 is the first version with flint_mpn_mul_fft_main. */
static bool is_known(const char *version) {
    return (version[0] == '2' || version[0] == '3') && version[1] == '.' &&
           (version[0] == '3' || atoi(version + 2) >= 5);
}

struct flint_found flint_found(void) {
    return flint_found_at(objects_next(NULL, "flint_version"));
}

struct flint_found flint_found_at(const char *version) {
    struct flint_found f = {.version = version};
    if (f.version) {
        f.path = objects_info(f.version).path;
        f.is_known = is_known(f.version);
    }
    return f;
}
