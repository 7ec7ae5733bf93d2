/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The objects of the process (the program, its libraries), and what they define.
 *
 * dlsym and dlopen allocate memory and change what dlerror tells the program.  A program with a
 * malloc of its own may be unable to allocate before main.  These functions only read. */
#ifndef MPGPU_OBJECTS_H
#define MPGPU_OBJECTS_H

#include <stdbool.h>

/* The object with an address: its program headers, which no other has, and its path; NULLs if there
 * is none. */
struct object_place {
    const void *object;
    const char *path;
};
struct object_place objects_place(const void *address);

/* The symbol's address in the next object that defines it, in the order of loading: behind the
 * object with the address `after`, or among all for NULL.  NULL if there is none. */
void *objects_next(const void *after, const char *symbol);

/* The same for `count` symbols, in one pass: their names stand one behind the other, each with the
 * 0 at its end.  The object `skipped` (of objects_place) does not count; NULL skips none. */
void objects_find(const void *after, const void *skipped, const char *symbols, int count,
                  void **found);

/* The program is among the objects.  It is not for a library that dlmopen has loaded. */
bool objects_have_program(void);

/* The object with the address was loaded with the program, not by dlopen; false in doubt. */
bool objects_are_from_start(const void *address);

#endif
