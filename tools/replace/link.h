/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The link by which the stand-in needs the real libgmp. */
#ifndef MPGPU_LINK_H
#define MPGPU_LINK_H

#include <stdbool.h>

#include "tools/replace/trouble.h"

/* Puts the folder where the link leads to libgmp `path` into `folder`: "" where the one in the
 * folder `replace` does; else one in the user's cache, made if it is missing. */
bool link_behind(const char *replace, const char *path, char folder[TROUBLE_PATH],
                 struct trouble *why);

#endif
