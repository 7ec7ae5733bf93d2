/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses the conversions in a format of gmp_printf, such as %10.3Zd, and skips their arguments. */
#ifndef MPGPU_PRINTF_SPEC_H
#define MPGPU_PRINTF_SPEC_H

#include <stdarg.h>
#include <stdbool.h>

struct printf_arguments {
    va_list list;
};

/* Special values of a precision. PRINTF_NONE: the conversion has no precision. PRINTF_ALL: it has a
 * point without a number. */
enum { PRINTF_NONE = -1, PRINTF_ALL = -2 };

struct printf_spec {
    const char *begin, *end; /* begin points to the conversion's percent sign, or is NULL after the
                                last conversion */
    int width, precision;
    char sign;               /* '+' or ' ' if the conversion has this flag, otherwise 0 */
    bool left, zeros, other; /* flag '-'; flag '0'; flag '#', '\'' or two signs */
    /* type: Z, Q, F, N or M of GMP, a type of C such as l, q for ll, or 0 for none. */
    char type, conversion;
    const void *number; /* the argument, for types Z, Q and F */
};

/* Parses the next conversion of the format, and takes its arguments from the list. Returns false if
 * the conversion is unknown or %n, its width too large, or its precision too large or negative. */
bool printf_spec_next(struct printf_spec *s, const char *format, struct printf_arguments *a);

#endif
