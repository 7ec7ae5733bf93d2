/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The objects of the process (the program, its libraries), and the symbols that they define.
 *
 * dlsym and dlopen allocate memory and change the text that dlerror returns to the program. A
 * program with its own malloc may be unable to allocate before main. These functions only read. */
#ifndef MPGPU_OBJECTS_H
#define MPGPU_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/* The object with an address: its program headers, which are unique, its path, and the addresses
 * from `from` to before `to` that it takes. An address less `bias` is the file's own. All are NULL
 * or 0 if there is none. */
struct object_place {
    const void *object;
    const char *path;
    uintptr_t from, to, bias;
};
struct object_place objects_place(const void *address);

/* Returns the symbol's address in the next object that defines it, in loading order: after the
 * object with the address `after`, or among all if NULL. Returns NULL if there is none. */
void *objects_next(const void *after, const char *symbol);

/* As objects_next, for `count` symbols in one pass. `symbols` has their names one after the other,
 * each with its terminating 0. Skips the object `skipped` (of objects_place); NULL skips none. */
void objects_find(const void *after, const void *skipped, const char *symbols, int count,
                  void **found);

/* Returns true if the program is among the objects. It is not if dlmopen has loaded this library.
 */
bool objects_have_program(void);

/* Returns true if the object with the address was loaded with the program, not by dlopen; false if
 * unsure. */
bool objects_are_from_start(const void *address);

#endif
