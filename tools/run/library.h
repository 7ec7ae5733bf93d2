/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The places of mpgpu-run and of the library. */
#ifndef MPGPU_LIBRARY_H
#define MPGPU_LIBRARY_H

#include <limits.h>

struct run_library {
    char here[PATH_MAX];         /* the folder of mpgpu-run, behind all links */
    char folder[PATH_MAX];       /* the folder of the library */
    char preload[PATH_MAX + 64]; /* the name for LD_PRELOAD */
};

/* Finds the library: in the build tree or the installed tree of this program, otherwise where it
 * was to be installed.  Exits with 125 if it is not there, or if LD_PRELOAD cannot name it. */
void run_library_find(struct run_library *library);

#endif
