/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory that held operands or results. */
#include "config.h"

#include "wipe.h"

#include <stdlib.h>
#include <string.h>

#include "conf.h"

void wipe(void *p, size_t bytes) {
    if (!p || !mpgpu_conf.clear)
        return;
    memset(p, 0, bytes);
    __asm__ volatile("" : : "r"(p) : "memory"); /* as if somebody read it */
}

void wipe_free(void *p, size_t bytes) {
    wipe(p, bytes);
    free(p);
}
