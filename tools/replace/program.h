/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where a program says that its libraries are. */
#ifndef MPGPU_PROGRAM_H
#define MPGPU_PROGRAM_H

#include "tools/replace/trouble.h"

/* Lists of folders: searched before those of LD_LIBRARY_PATH (DT_RPATH), and behind them
 * (DT_RUNPATH). */
struct program_paths {
    char before[TROUBLE_PATH], behind[TROUBLE_PATH];
};

/* Reads them, with the program's folder for $ORIGIN; of a script, those of its interpreter.  Empty
 * ones where the file is no program of this machine, or names none. */
void program_read(const char *path, struct program_paths *paths);

#endif
