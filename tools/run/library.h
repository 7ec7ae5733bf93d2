/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the folders of mpgpu-run and of the library. */
#ifndef MPGPU_LIBRARY_H
#define MPGPU_LIBRARY_H

#include <limits.h>

struct run_library {
    char here[PATH_MAX];         /* the folder of mpgpu-run, with links resolved */
    char folder[PATH_MAX];       /* the folder of the library */
    char preload[PATH_MAX + 64]; /* the path of the library as LD_PRELOAD must name it */
};

/* Finds the library in the build tree or the installed tree of mpgpu-run, otherwise in the
 * configured installation folder.  Exits with 125 if the library is not found, or if LD_PRELOAD
 * cannot name it. */
void run_library_find(struct run_library *library);

#endif
