/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels for products of polynomials by Kronecker's substitution. A polynomial becomes a number:
 * the value at x = 2^(32 slot), where each coefficient of the product fits in a slot of `slot`
 * words.
 *
 * A slot of a signed coefficient c holds c + 2^(32 slot - 1), which is not negative. The number
 * with 2^(32 slot - 1) in each slot is called the bias; the caller subtracts it from operands, and
 * adds it to the product. So the carries between slots are those of long sums, which have kernels
 * of their own. */
#include "kernels/check/residue.h"
#include "kernels/check/verdict.h"
#include "kernels/poly/poly.h"

#define SIGN_BIT 0x80000000u
#if POLY_CHECK_THREADS != VERDICT_THREADS
#error "all work-items of poly_check vote"
#endif

/* Writes polynomials as long numbers, `words` words in all. Polynomial k begins at word k * pad,
 * and has a slot of `slot` words for each of its `length` coefficients. The coefficients are read
 * from from[from_at], n words each. The bias is the highest bit of each slot; it is added unless
 * `kind` is POLY_ABSOLUTE. */
KERNEL(POLY_THREADS)
poly_spread(GLOBAL u32 *to, u64 to_at, u32 slot, u64 pad, u64 words, GLOBAL const u32 *from,
            u64 from_at, u32 n, u64 length, u32 kind) {
    u64 at = (u64)GROUP_X * POLY_THREADS + LOCAL_ID;
    if (at < words) {
        u64 k = at / pad, within = at - k * pad, i = within / slot;
        u32 j = (u32)(within - i * slot), word = 0;
        if (i < length && kind != POLY_BIAS) {
            GLOBAL const u32 *x = from + from_at + (k * length + i) * n;
            word = j < n ? x[j] : kind == POLY_SIGNED ? 0u - (x[n - 1] >> 31) : 0u;
        }
        if (i < length && kind != POLY_ABSOLUTE && j == slot - 1)
            word ^= SIGN_BIT;
        to[to_at + at] = word;
    }
}

/* Returns word j of the coefficient in the slot x. Words above the slot are zeros for
 * POLY_ABSOLUTE, otherwise the sign extension. */
FN u32 word_of(GLOBAL const u32 *x, u32 slot, u32 j, u32 kind) {
    u32 top = x[slot - 1];
    if (kind == POLY_ABSOLUTE)
        return j < slot ? x[j] : 0u;
    top ^= SIGN_BIT;
    return j + 1 < slot ? x[j] : j + 1 == slot ? top : 0u - (top >> 31);
}

/* Writes `words` words of `to`: the coefficients of polynomials, n words each. Each polynomial has
 * `length` coefficients. The coefficients of polynomial k come from the slots of the number at
 * from[from_at + k * pad], from slot `low` on. With POLY_SIGNED, negates all coefficients if the
 * words a[a_at] and b[b_at] differ. */
KERNEL(POLY_THREADS)
poly_take(GLOBAL u32 *to, u64 to_at, u32 n, u64 length, u64 words, GLOBAL const u32 *from,
          u64 from_at, u32 slot, u64 pad, u64 low, u32 kind, GLOBAL const u32 *a, u64 a_at,
          GLOBAL const u32 *b, u64 b_at) {
    u64 at = (u64)GROUP_X * POLY_THREADS + LOCAL_ID;
    if (at < words) {
        u64 number = at / n, k = number / length;
        u32 j = (u32)(at - number * n);
        GLOBAL const u32 *x = from + from_at + k * pad + (number - k * length + low) * slot;
        u32 word = word_of(x, slot, j, kind);
        if (kind == POLY_SIGNED && a[a_at] != b[b_at]) {
            u32 i = 0;
            while (i < j && word_of(x, slot, i, kind) == 0)
                i++;
            word = ~word + (i == j);
        }
        to[to_at + at] = word;
    }
}

/* Divides {high, low} by the normalised d, high < d; v is floor((2^128 - 1) / d) - 2^64. Returns
 * the quotient, and sets *rest. (Moeller and Granlund, Improved division by invariant integers.) */
FN u64 divide_limbs(u64 *rest, u64 high, u64 low, u64 d, u64 v) {
    u64 q0 = v * high, q1 = MULHI64(v, high), r;
    q0 += low;
    q1 += high + (q0 < low) + 1;
    r = low - q1 * d;
    if (r > q0) {
        q1--;
        r += d;
    }
    if (r >= d) {
        q1++;
        r -= d;
    }
    *rest = r;
    return q1;
}

/* Returns limb i of a slot of at most POLY_REDUCE_WORDS words. */
FN u64 limb_of(GLOBAL const u32 *x, u32 slot, u32 i) {
    u32 low = 2 * i < slot ? x[2 * i] : 0u, high = 2 * i + 1 < slot ? x[2 * i + 1] : 0u;
    return low | (u64)high << 32;
}

/* Divides `count` coefficients, `length` for each polynomial, by the limb m = d / 2^shift. The
 * coefficients are in slots, beginning with slot `low` of each polynomial. Stores remainders of one
 * limb in r, and quotients of two limbs in q. A coefficient is less than 2^128 m. d has its highest
 * bit set; v is the constant of divide_limbs. */
KERNEL(POLY_THREADS)
poly_reduce(GLOBAL u64 *r, u64 r_at, GLOBAL u64 *q, u64 q_at, u64 length, u64 count,
            GLOBAL const u32 *from, u64 from_at, u32 slot, u64 pad, u64 low, u64 d, u64 v,
            u32 shift) {
    u64 i = (u64)GROUP_X * POLY_THREADS + LOCAL_ID;
    if (i < count) {
        u64 k = i / length, rest;
        GLOBAL const u32 *x = from + from_at + k * pad + (i - k * length + low) * slot;
        u64 x0 = limb_of(x, slot, 0), x1 = limb_of(x, slot, 1), x2 = limb_of(x, slot, 2);
        if (shift > 0) {
            x2 = x2 << shift | x1 >> (64 - shift);
            x1 = x1 << shift | x0 >> (64 - shift);
            x0 <<= shift;
        }
        q[q_at + 2 * i + 1] = divide_limbs(&rest, x2, x1, d, v);
        q[q_at + 2 * i] = divide_limbs(&rest, rest, x0, d, v);
        r[r_at + i] = rest >> shift;
    }
}

/* ---- the check: values at a random point x modulo a random prime m < 2^61 */

/* Returns the coefficient {x, n} modulo m, divided by 2^(64 ceil(n / 2)). `wrap` is 2^(32 n),
 * divided by the same number. */
FN u64 coefficient_down(GLOBAL const u32 *x, u32 n, u32 kind, u64 wrap, u64 m, u64 minv) {
    u64 s = 0;
    for (u32 j = 0; j < n; j += 2) {
        u64 limb = x[j] | (u64)(j + 1 < n ? x[j + 1] : 0u) << 32;
        s = residue_horner(s, 1, limb, m, minv);
    }
    s = s < m ? s : s - m;
    return kind == POLY_SIGNED && x[n - 1] >> 31 ? residue_plus(s, m - wrap, m) : s;
}

/* Returns x^e, both in Montgomery form; `one` is 1 in Montgomery form. */
FN u64 power_of(u64 x, u64 e, u64 one, u64 m, u64 minv) {
    u64 power = one;
    for (; e > 0; e >>= 1) {
        if (e & 1)
            power = residue_product(power, x, m, minv);
        x = residue_product(x, x, m, minv);
    }
    return power;
}

/* Computes parts of the values of polynomials at x. Group k * parts + g computes part g of
 * polynomial k. Coefficients of n words begin `stride` words apart, polynomials `pad` words apart.
 * A work-item adds up `each` adjacent coefficients. Stores the part, XORed with the key, at
 * out[out_at + group]. If `most` is not 0, coefficients have two words, and a coefficient of at
 * least `most` makes the part invalid. `x` and `one` are in Montgomery form. */
KERNEL(POLY_THREADS)
poly_value(GLOBAL u64 *out, u64 out_at, GLOBAL const u32 *from, u64 from_at, u32 n, u64 stride,
           u64 pad, u64 length, u32 each, u32 parts, u32 kind, u64 most, u64 wrap, u64 x, u64 one,
           u64 m, u64 minv, u64 key) {
    LOCAL_ARRAY(u64, sums, POLY_THREADS);
    u64 k = GROUP_X / parts, g = GROUP_X - k * parts;
    u64 begin = (g * POLY_THREADS + LOCAL_ID) * each, sum = 0, is_bad = 0;
    u64 end = begin + each < length ? begin + each : length;
    GLOBAL const u32 *poly = from + from_at + k * pad;
    for (u64 i = end; i > begin; i--) {
        GLOBAL const u32 *c = poly + (i - 1) * stride;
        sum = residue_product(sum, x, m, minv);
        sum = residue_plus(sum, coefficient_down(c, n, kind, wrap, m, minv), m);
        is_bad |= most != 0 && (c[0] | (u64)c[1] << 32) >= most;
    }
    sum = begin < end ? residue_product(sum, power_of(x, begin, one, m, minv), m, minv) : 0;
    /* the highest bit of a sum marks an invalid part; sums of valid parts are below 2^62 */
    sums[LOCAL_ID] = sum | is_bad << 63;
    BARRIER();
    for (u32 count = POLY_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count) {
            u64 a = sums[LOCAL_ID], b = sums[LOCAL_ID + count], bad = (a | b) >> 63 << 63;
            sums[LOCAL_ID] = residue_plus(a & ~bad, b & ~bad, m) | bad;
        }
        BARRIER();
    }
    if (LOCAL_ID == 0)
        out[out_at + GROUP_X] = sums[0] ^ key;
}

/* Returns the sum of `count` parts modulo m. Sets *bad if one is invalid. Loads several parts
 * before it uses the first, since one work-item adds up all parts. */
FN u64 sum_of(GLOBAL const u64 *parts, u64 count, u64 key, u64 m, u32 *bad) {
    u64 sum = 0;
    for (u64 i = 0; i < count; i += 8) {
        u64 part[8];
        UNROLL
        for (u32 k = 0; k < 8; k++)
            part[k] = i + k < count ? parts[i + k] ^ key : 0;
        UNROLL
        for (u32 k = 0; k < 8; k++) {
            *bad |= part[k] >= m;
            sum = residue_plus(sum, part[k] < m ? part[k] : 0, m);
        }
    }
    return sum;
}

/* Checks `count` equations f a b = g c + h d modulo m. a, b, c and d are values of polynomials,
 * which poly_value has written in parts. If b_parts is 0, b is 1; if d_parts is 0, d is 0. f, g and
 * h are the same in all equations; they also compensate the divisions by 2^64 of poly_value and
 * residue_product. Each group adds to the verdict (kernels/check/verdict.h). */
KERNEL(VERDICT_THREADS)
poly_check(GLOBAL u32 *verdict, u32 pass, GLOBAL const u64 *out, u64 a_at, u32 a_parts, u64 b_at,
           u32 b_parts, u64 c_at, u32 c_parts, u64 d_at, u32 d_parts, u64 count, u64 f, u64 g,
           u64 h, u64 m, u64 minv, u64 key) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    u64 k = (u64)GROUP_X * VERDICT_THREADS + LOCAL_ID;
    u32 bad = 0;
    if (k < count) {
        u64 a = sum_of(out + a_at + k * a_parts, a_parts, key, m, &bad);
        u64 b = sum_of(out + b_at + k * b_parts, b_parts, key, m, &bad);
        u64 c = sum_of(out + c_at + k * c_parts, c_parts, key, m, &bad);
        u64 d = sum_of(out + d_at + k * d_parts, d_parts, key, m, &bad);
        u64 left = b_parts > 0 ? residue_product(a, b, m, minv) : a;
        u64 right = residue_plus(residue_product(c, g, m, minv), residue_product(d, h, m, minv), m);
        bad |= residue_product(left, f, m, minv) != right;
    }
    verdict_add(verdict, pass, bad, votes);
}
