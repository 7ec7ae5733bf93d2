/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Conversion of fixed-point numbers from and to doubles. */
#include "lib/fixed/convert.h"

#include <math.h>
#include <string.h>

bool convert_increment(uint32_t *w, unsigned words) {
    for (unsigned i = 0; i < words; i++)
        if (++w[i] != 0)
            return false;
    return true;
}

void convert_negate(uint32_t *w, unsigned words) {
    for (unsigned i = 0; i < words; i++)
        w[i] = ~w[i];
    convert_increment(w, words);
}

/* Gives a magnitude its sign.  A number has a sign bit and 31 bits before the binary point.  So of
 * the magnitudes whose highest bit is set, only that of -2^31 fits. */
enum convert_status convert_sign(uint32_t *w, unsigned words, bool is_negative) {
    uint32_t below = w[words - 1] & 0x7fffffff;
    for (unsigned i = 0; i + 1 < words; i++)
        below |= w[i];
    if (w[words - 1] >> 31 && (!is_negative || below))
        return CONVERT_RANGE;
    if (is_negative)
        convert_negate(w, words);
    return CONVERT_OK;
}

/* Converts word by word.  What is left below the last word decides the rounding, exactly: doubles
 * are multiples of 2^-1074, and each step removes whole bits. */
enum convert_status convert_from_double(uint32_t *w, unsigned words, double d) {
    double left = fabs(d);
    memset(w, 0, words * sizeof *w);
    if (isnan(d))
        return CONVERT_MALFORMED;
    if (left > 2147483648.)
        return CONVERT_RANGE;
    for (unsigned i = words; i-- > 0; left = (left - w[i]) * 4294967296.)
        w[i] = (uint32_t)left;
    if (left > 2147483648. || (left == 2147483648. && (w[0] & 1)))
        convert_increment(w, words);
    return convert_sign(w, words, signbit(d) != 0);
}

/* Returns the 64 bits of w from bit `at` to bit `at` + 63.  The lowest of them is also set if any
 * bit below is set. */
static uint64_t bits_from(const uint32_t *w, unsigned words, int at) {
    uint64_t bits = 0, below = 0;
    for (int i = 0; i < (int)words * 32; i++) {
        uint64_t bit = w[i / 32] >> i % 32 & 1;
        if (i < at)
            below |= bit;
        else if (i < at + 64)
            bits |= bit << (i - at);
    }
    return bits | below;
}

/* Rounds the magnitude's 64 bits from its highest set bit down to a double.  This rounds the whole
 * magnitude correctly, since bits_from marks lower bits in the lowest of the 64, and a double has
 * only 53. */
double convert_to_double(const uint32_t *w, unsigned words) {
    uint32_t magnitude[8];
    const bool is_negative = w[words - 1] >> 31;
    int top = (int)words * 32 - 1;
    memcpy(magnitude, w, words * sizeof *w);
    if (is_negative)
        convert_negate(magnitude, words);
    while (top > 63 && !(magnitude[top / 32] >> top % 32 & 1))
        top--;
    double d =
        ldexp((double)bits_from(magnitude, words, top - 63), top - 63 - (int)(words - 1) * 32);
    return is_negative ? -d : d;
}
