/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lists of folders, as in LD_LIBRARY_PATH. */
#include "config.h"

#include "tools/replace/folders.h"

#include <string.h>

bool folders_each(const char *list, bool (*visit)(const char *folder, void *context),
                  void *context) {
    char folder[4096];
    for (const char *at = list; *list; at++) {
        size_t length = strcspn(at, ":;");
        if (length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = '\0';
            if (visit(folder, context))
                return true;
        }
        at += length;
        if (!*at)
            return false;
    }
    return false;
}
