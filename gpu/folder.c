/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Folders of the user's own. */
#include "config.h"

#include "gpu/folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void folder_make(const char *path) {
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", path);
    for (char *slash = copy; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
    mkdir(copy, 0700);
}
