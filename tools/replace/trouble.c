/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Why a program's libgmp can't be replaced. */
#include "config.h"

#include "tools/replace/trouble.h"

#include <stdarg.h>
#include <stdio.h>

bool trouble(struct trouble *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}
