/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The objects of the process (the program, its libraries), and the symbols that they define.
 *
 * These functions only read. dlsym and dlopen would allocate memory, which may be impossible before
 * main, and would change the text that dlerror returns to the program. */
#ifndef MPGPU_OBJECTS_H
#define MPGPU_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/* The object that contains an address: its program headers, which identify it, its path, and its
 * addresses from `from` to `to` - 1. An address less `bias` is the address in the object's file.
 * All are NULL or 0 if no object contains the address. */
struct object_info {
    const void *object;
    const char *path;
    uintptr_t from, to, bias;
};
struct object_info objects_info(const void *address);

/* Returns the symbol's address in the first object that defines it, in loading order. If `after` is
 * not NULL, searches only objects behind the object that contains `after`. Returns NULL if no
 * object defines the symbol. */
void *objects_next(const void *after, const char *symbol);

/* Does the same as objects_next for `count` symbols in one pass. `symbols` has their names in
 * sequence, each with its terminating 0. Skips the object `skipped` (a value that objects_info
 * returned), unless it is NULL. */
void objects_find(const void *after, const void *skipped, const char *symbols, int count,
                  void **found);

/* Returns true if the program is among the objects that these functions see. The program is not
 * among them if dlmopen has loaded this library. */
bool objects_have_program(void);

/* Returns true if the object that contains the address was loaded with the program, not by dlopen.
 * Returns false if unsure. */
bool objects_are_from_start(const void *address);

#endif
