/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Clears and frees memory that has contained operands or results. */
#include "config.h"

#include "lib/memory/wipe.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"

void wipe(void *p, size_t bytes) {
    if (p && conf_job().clear)
        explicit_bzero(p, bytes);
}

void wipe_free(void *p, size_t bytes) {
    wipe(p, bytes);
    free(p);
}
