/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program that mpgpu-run starts. */
#ifndef MPGPU_COMMAND_H
#define MPGPU_COMMAND_H

#include <limits.h>

/* Finds the program as a shell does, in PATH unless its name has a slash.  Exits with 127 if it is
 * not there, with 126 if it cannot be executed. */
void run_command_find(const char *name, char path[PATH_MAX]);

/* Returns why the dynamic linker will not load the library into the program, or NULL if it will.
 * For a script, its interpreter counts. */
const char *run_command_obstacle(const char *path);

/* Becomes the program: a file that the kernel does not know is a shell script.  Exits with 127 or
 * 126 if that fails. */
_Noreturn void run_command_exec(const char *path, char **argv);

#endif
