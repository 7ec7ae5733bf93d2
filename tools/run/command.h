/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds, checks and executes the program that mpgpu-run starts. */
#ifndef MPGPU_COMMAND_H
#define MPGPU_COMMAND_H

#include <limits.h>

/* Finds the program as a shell does: in PATH unless its name has a slash.  Exits with 127 if there
 * is none, with 126 if it cannot be executed. */
void run_command_find(const char *name, char path[PATH_MAX]);

/* Returns NULL if the dynamic linker can preload the library into the program, otherwise the reason
 * why not.  For a script, checks its interpreter. */
const char *run_command_obstacle(const char *path);

/* Executes the program in this process.  Executes a file of an unknown format as a shell script.
 * Exits with 127 or 126 if that fails. */
_Noreturn void run_command_exec(const char *path, char **argv);

#endif
