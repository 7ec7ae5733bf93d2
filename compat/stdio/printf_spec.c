/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses the conversions in a format of gmp_printf, such as %10.3Zd. */
#include "compat/stdio/printf_spec.h"

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

enum { MOST = 1 << 30 }; /* widths and precisions must be below; in a format, at most MOST / 16 */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *read_flags(struct printf_spec *s, const char *p) {
    for (; *p && strchr("-+ #0'", *p); p++) {
        s->left |= *p == '-';
        s->zeros |= *p == '0';
        s->other |= *p == '#' || *p == '\'';
        if (*p == '+' || *p == ' ') {
            s->other |= s->sign != 0; /* both */
            s->sign = *p;
        }
    }
    return p;
}

/* Reads a number from the format; for a star, from the arguments. Returns NULL if it is too
 * large. */
static const char *read_number(int *x, const char *p, struct printf_arguments *a) {
    if (*p == '*') {
        *x = va_arg(a->list, int);
        return *x<MOST && * x> - MOST ? p + 1 : NULL;
    }
    for (*x = 0; is_digit(*p); p++) {
        *x = *x * 10 + (*p - '0');
        if (*x > MOST / 16)
            return NULL;
    }
    return p;
}

static const char *read_width(struct printf_spec *s, const char *p, struct printf_arguments *a) {
    p = read_number(&s->width, p, a);
    if (s->width < 0) {
        s->left = true;
        s->width = -s->width;
    }
    return p;
}

/* Reads the precision, if there is one. Returns NULL if it is negative: GMP handles such a
 * conversion. */
static const char *read_precision(struct printf_spec *s, const char *p,
                                  struct printf_arguments *a) {
    s->precision = PRINTF_NONE;
    if (!p || *p != '.')
        return p;
    if (!is_digit(p[1]) && p[1] != '*') {
        s->precision = PRINTF_ALL;
        return p + 1;
    }
    p = read_number(&s->precision, p + 1, a);
    return s->precision < 0 ? NULL : p;
}

static const char *read_type(struct printf_spec *s, const char *p) {
    s->type = 0;
    if (!*p || !strchr("hljtzqLZQFNM", *p))
        return p;
    s->type = *p++;
    if (*p == s->type && (*p == 'h' || *p == 'l')) {
        s->type = *p == 'l' ? 'q' : 'h';
        p++;
    }
    return p;
}

static bool pop_integer(const struct printf_spec *s, struct printf_arguments *a) {
    switch (s->type) {
    case 0:
    case 'h':
        va_arg(a->list, int);
        return true;
    case 'l':
        va_arg(a->list, long);
        return true;
    case 'q':
    case 'L':
        va_arg(a->list, long long);
        return true;
    case 'j':
        va_arg(a->list, intmax_t);
        return true;
    case 't':
        va_arg(a->list, ptrdiff_t);
        return true;
    case 'z':
        va_arg(a->list, size_t);
        return true;
    case 'M':
        va_arg(a->list, mp_limb_t);
        return true;
    case 'N':
        va_arg(a->list, mp_srcptr);
        va_arg(a->list, mp_size_t);
        return true;
    default:
        return false;
    }
}

static bool pop_float(const struct printf_spec *s, struct printf_arguments *a) {
    if (s->type == 'L')
        va_arg(a->list, long double);
    else if (s->type == 0 || s->type == 'l')
        va_arg(a->list, double);
    return s->type == 'L' || s->type == 0 || s->type == 'l';
}

static bool pop_character(const struct printf_spec *s, struct printf_arguments *a) {
    if (s->type == 'l')
        va_arg(a->list, wint_t);
    else
        va_arg(a->list, int);
    return s->type == 'l' || s->type == 0;
}

static bool pop(struct printf_spec *s, struct printf_arguments *a) {
    bool is_integer = strchr("dioxXu", s->conversion), is_float = strchr("aAeEfgG", s->conversion);
    if (is_integer ? s->type == 'Z' || s->type == 'Q' : is_float && s->type == 'F') {
        s->number = va_arg(a->list, const void *);
        return true;
    }
    if (is_integer)
        return pop_integer(s, a);
    if (is_float)
        return pop_float(s, a);
    if (s->conversion == 'c')
        return pop_character(s, a);
    if (s->conversion == 's' || s->conversion == 'p') {
        va_arg(a->list, void *);
        return s->type == 0 || s->type == 'l';
    }
    return s->conversion == '%' && s->end == s->begin + 2;
}

bool printf_spec_next(struct printf_spec *s, const char *format, struct printf_arguments *a) {
    *s = (struct printf_spec){.begin = strchr(format, '%')};
    if (!s->begin)
        return true;
    const char *p = read_width(s, read_flags(s, s->begin + 1), a);
    p = read_precision(s, p, a);
    p = p ? read_type(s, p) : NULL;
    if (!p || !*p)
        return false;
    s->conversion = *p;
    s->end = p + 1;
    return pop(s, a);
}
