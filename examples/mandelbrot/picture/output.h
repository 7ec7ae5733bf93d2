/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes an output file that appears complete or not at all. */
#ifndef EXAMPLE_OUTPUT_H
#define EXAMPLE_OUTPUT_H

#include <stdio.h>

#include "examples/mandelbrot/complain.h"

/* An output that is written to a temporary file in the same folder, which is renamed at the end.
 * Devices, pipes and standard output ("-") are written directly.  If the name is a symbolic link,
 * the file to which it points is replaced; a link that points to no file is replaced itself. */
struct output {
    const char *name; /* as the user gave it, for messages */
    char *path;       /* the target, with symbolic links resolved; NULL if it is written directly */
    FILE *file;
};

/* Opens the temporary file, or the device or pipe. Prints a message on failure. Only one output
 * may be open at a time, because a signal removes only one temporary file
 * (examples/mandelbrot/picture/temporary.h). */
enum status output_open(struct output *o, const char *name);

/* Closes the output and renames the temporary file. If this fails, prints a message, and the old
 * file is unchanged. */
enum status output_commit(struct output *o);

/* Closes and removes the temporary file; the old file is unchanged. */
void output_abandon(struct output *o);

#endif
