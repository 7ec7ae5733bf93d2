/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The key of an operation. A kernel XORs the 64-bit entries of its answer to the host with the key
 * (lib/device/answers.h). So the host does not accept entries of an earlier operation or entries
 * never written. */
#ifndef KEY_H
#define KEY_H

#include "kernels/common/platform.h"

#define KEY_NONE 0   /* other kernels read the entries, so they are not XORed */
#define KEY_IN_OUT 1 /* the key is in the output, at entry KEY_ENTRY */
#define KEY_ENTRY 2

/* Returns the key. One work-item of a group calls this before other work, because the key may be in
 * host memory. */
FN u64 key_of(u64 key, GLOBAL const u64 *out) {
    return key == KEY_IN_OUT ? out[KEY_ENTRY] : key;
}

#endif
