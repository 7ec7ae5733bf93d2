/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Why a program's libgmp can't be replaced: a text without a newline. */
#ifndef MPGPU_TROUBLE_H
#define MPGPU_TROUBLE_H

#include <stdbool.h>

enum { TROUBLE_PATH = 4096 };

struct trouble {
    char text[2 * TROUBLE_PATH];
};

/* Puts the text there, as printf does, and returns false. */
__attribute__((format(printf, 2, 3))) bool trouble(struct trouble *why, const char *format, ...);

#endif
