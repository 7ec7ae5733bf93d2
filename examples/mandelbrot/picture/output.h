/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A file that is there whole or not at all. */
#ifndef EXAMPLE_OUTPUT_H
#define EXAMPLE_OUTPUT_H

#include <stdio.h>

#include "examples/mandelbrot/complain.h"

/* What is written goes to a temporary file in the same folder, which takes the name at the end.
 * Devices and pipes are written to directly.  A symbolic link stays, and the file that it leads to
 * is replaced; one that leads nowhere is replaced itself. */
struct output {
    const char *name; /* as given, for messages */
    char *path;       /* of the file, symbolic links resolved; NULL: written to directly */
    FILE *file;
};

/* Opens it, before there is anything to write; complains where that can't be.  One at a time:
 * signals remove the temporary file (examples/mandelbrot/picture/temporary.h). */
enum status output_open(struct output *o, const char *name);

/* Closes it; complains where not all is on disk.  The file is there then, or as it was before. */
enum status output_commit(struct output *o);

/* Closes and removes what has been written. */
void output_abandon(struct output *o);

#endif
