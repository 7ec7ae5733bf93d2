/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which libgmp a program would load without a stand-in. */
#ifndef MPGPU_SEARCH_H
#define MPGPU_SEARCH_H

#include <stdbool.h>

#include "tools/replace/trouble.h"

struct search {
    const char *replace;      /* the folder of the stand-in */
    const char *program;      /* its path, or "" */
    const char *library_path; /* LD_LIBRARY_PATH, as the program is to have it without a stand-in */
};

/* Is the element of LD_LIBRARY_PATH one that an earlier --replace has put there? */
bool search_is_ours(const struct search *s, const char *folder);

/* Looks as the dynamic linker does: in LD_LIBRARY_PATH, in what the program names (DT_RUNPATH),
 * then in the system's folders.  Files for other machines and stand-ins are passed over.  Puts the
 * path, without links, into `path`.  This process must have been started without LD_LIBRARY_PATH.
 */
bool search_libgmp(const struct search *s, char path[TROUBLE_PATH], struct trouble *why);

#endif
