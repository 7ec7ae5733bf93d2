/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The environment of a process of our own. */
#include "gpu/remote/own_process.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void own_process_path(void) {
    char path[8192];
    const char *given = getenv("PATH");
    snprintf(path, sizeof path, "%s:/usr/local/bin:/usr/bin:/bin", given ? given : "");
    setenv("PATH", path, true);
}

void own_process_builds_once(void) {
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", false);
}
