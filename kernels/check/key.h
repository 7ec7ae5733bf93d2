/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The key of an operation's answers (lib/device/answers.h): entries are written exclusive-or it, so
 * that what an earlier operation has left there, or nobody has written, says nothing. */
#ifndef KEY_H
#define KEY_H

#include "kernels/common/platform.h"

#define KEY_NONE 0   /* entries are written as they are, for other kernels */
#define KEY_IN_OUT 1 /* the key is entry KEY_ENTRY of where the entries are written */
#define KEY_ENTRY 2

/* Read by one work-item, before it is wanted: that memory may be far away. */
FN u64 key_of(u64 key, GLOBAL const u64 *out) {
    return key == KEY_IN_OUT ? out[KEY_ENTRY] : key;
}

#endif
