/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Is a file a libgmp that this library can stand before? */
#ifndef MPGPU_SHAPE_H
#define MPGPU_SHAPE_H

#include <stdbool.h>

#include "tools/replace/trouble.h"

/* The same file, by device and inode; false where one is not there. */
bool shape_is_same(const char *a, const char *b);

/* Loads the library.  It has to define GMP's functions itself, all that this library calls, with
 * limbs of 64 bits. */
bool shape_check(const char *path, struct trouble *why);

#endif
