/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The key of an operation's answers (lib/device/answers.h).  Entries are XORed with the key, so
 * that entries of an earlier operation, or entries never written, are not valid answers. */
#ifndef KEY_H
#define KEY_H

#include "kernels/common/platform.h"

#define KEY_NONE 0   /* entries are written as they are, for other kernels */
#define KEY_IN_OUT 1 /* the key is entry KEY_ENTRY of the output */
#define KEY_ENTRY 2

/* Returns the key.  One work-item reads it early, because it may be in host memory. */
FN u64 key_of(u64 key, GLOBAL const u64 *out) {
    return key == KEY_IN_OUT ? out[KEY_ENTRY] : key;
}

#endif
