/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The conversions in a format of gmp_printf, and their arguments. */
#ifndef MPGPU_PRINTF_SPEC_H
#define MPGPU_PRINTF_SPEC_H

#include <stdarg.h>
#include <stdbool.h>

struct printf_arguments {
    va_list list;
};

enum { PRINTF_NONE = -1, PRINTF_ALL = -2 }; /* no precision; a point without one */

struct printf_spec {
    const char *begin, *end; /* begin: the percent sign; NULL at the end of the format */
    int width, precision;
    char sign;               /* '+', ' ' or 0 */
    bool left, zeros, other; /* flags '-' and '0'; any other */
    char type, conversion;   /* type: Z, Q, F, N, M; C's types: l, q for long long ...; or 0 */
    const void *number;      /* the argument of types Z, Q and F */
};

/* Reads the next conversion of the format, and takes its arguments from the list.  Returns false
 * for an unknown conversion, and for %n. */
bool printf_spec_next(struct printf_spec *s, const char *format, struct printf_arguments *a);

#endif
