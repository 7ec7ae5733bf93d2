/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses the values of options. */
#include "config.h"

#include "examples/mandelbrot/parse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "examples/mandelbrot/decimal.h"

/* Parses `part`, a decimal number inside `text`, which is the whole value of the option. */
static enum status parse_part(mpq_t value, const char *part, const char *option, const char *text) {
    switch (decimal_parse(value, part)) {
    case DECIMAL_GOOD:
        return STATUS_DONE;
    case DECIMAL_MALFORMED:
        return complain("%s %s: not a decimal number", option, text);
    case DECIMAL_HUGE_EXPONENT:
        break;
    }
    return complain("%s %s: the exponent is beyond %d", option, text, DECIMAL_EXPONENT);
}

enum status parse_decimal(mpq_t value, const char *option, const char *text) {
    return parse_part(value, text, option, text);
}

enum status parse_centre(struct view *view, const char *text) {
    const char *comma = strchr(text, ',');
    if (!comma || strchr(comma + 1, ','))
        return complain("--centre %s: not X,Y", text);
    char *x = strndup(text, (size_t)(comma - text));
    enum status status =
        x ? parse_part(view->x, x, "--centre", text) : complain("not enough memory");
    free(x);
    return status == STATUS_DONE ? parse_part(view->y, comma + 1, "--centre", text) : status;
}

/* Parses digits that are followed by the character `end` (0: the end of the text). Returns false
 * for any other text, or if the number exceeds `most`. */
static bool take_number(const char *text, char end, uint32_t most, uint32_t *value) {
    size_t digits = strspn(text, "0123456789");
    uint64_t n = 0;
    if (digits == 0 || text[digits] != end)
        return false;
    for (size_t i = 0; i < digits && n <= most; i++)
        n = 10 * n + (uint64_t)(text[i] - '0');
    *value = (uint32_t)n;
    return n <= most;
}

enum status parse_number(uint32_t *value, const char *option, const char *text, uint32_t least,
                         uint32_t most) {
    if (!take_number(text, 0, most, value) || *value < least)
        return complain("%s %s: not an integer from %u to %u", option, text, least, most);
    return STATUS_DONE;
}

enum status parse_size(uint32_t *width, uint32_t *height, const char *text) {
    const char *x = strchr(text, 'x');
    if (!x || !take_number(text, 'x', PARSE_MOST_SIDE, width) ||
        !take_number(x + 1, 0, PARSE_MOST_SIDE, height) || *width == 0 || *height == 0)
        return complain("--size %s: not WxH, each from 1 to %d", text, PARSE_MOST_SIDE);
    return STATUS_DONE;
}
