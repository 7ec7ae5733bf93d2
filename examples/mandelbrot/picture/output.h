/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A file that is there whole or not at all. */
#ifndef EXAMPLE_OUTPUT_H
#define EXAMPLE_OUTPUT_H

#include <stdio.h>

#include "examples/mandelbrot/complain.h"

/* Output goes to a temporary file in the same folder, which is renamed at the end.  Devices and
 * pipes are written directly.  A symbolic link remains, and its target is replaced; a dangling link
 * is replaced itself. */
struct output {
    const char *name; /* as given, for messages */
    char *path;       /* of the file, symbolic links resolved; NULL: written to directly */
    FILE *file;
};

/* Opens the output in advance; prints a message on failure.  Only one output at a time: signals
 * remove the temporary file (examples/mandelbrot/picture/temporary.h). */
enum status output_open(struct output *o, const char *name);

/* Closes the output; prints a message if not all is on disk.  The file is then complete, or
 * unchanged. */
enum status output_commit(struct output *o);

/* Closes and removes the temporary file. */
void output_abandon(struct output *o);

#endif
