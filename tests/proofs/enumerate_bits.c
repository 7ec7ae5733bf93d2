/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks functions for single bits of numbers, and inverses. Words have 8 bits instead of 32,
 * digits 7 instead of 28. */
#define WORD 8
#define LOG_WORD 3
#define DIGIT_WIDTH 7 /* instead of 28 bits in words of 32 */
#define DIGITS 2
#define ON_CPU
#define MODULAR_WORDS 2
#include "tests/proofs/narrow.h"

#include "kernels/modular/barrett_shift.h"
#include "kernels/modular/divsteps.h"
#include "kernels/check/residue.h"
#include "kernels/modular/euclid_residues.h"
#include "tests/proofs/enumerate.h"

static void bits(void) {
    begin("barrett_fraction");
    EACH(number, high, 0, 256)
    EACH(number, rest, 0, high + 1)
    CHECK(barrett_fraction(rest, high) == rest * 256 / (high + 1), rest, high, 0);
    end();
    begin("digit_at");
    EACH(number, x, 0, 1 << 16) EACH(int, at, -24, 24) EACH(number, words, 1, 3) {
        u32 w[2] = {x, x >> 8};
        number all = words == 1 ? x & 255 : x;
        number right = (at < 0 ? all << -at : all >> at) & 127;
        CHECK(digit_at(w, words, at) == right, x, at, words);
    }
    end();
}

/* Tests shifted_word for a number of two words, and for a number that continues in two other
 * words. */
static void shifts(void) {
    begin("shifted_word");
    EACH(number, x, 0, 1 << 16) EACH(number, shift, 0, 16) EACH(number, k, 0, 4) {
        u32 lo[2] = {x, x >> 8}, hi[2] = {~x, x ^ x >> 8};
        struct pair pair = {hi, lo, 2, x & 1};
        number all = x | (x & 1 ? (number)(u32)~x << 16 | (number)(u32)(x ^ x >> 8) << 24 : 0);
        CHECK(shifted_word(pair, k, shift) == (u32)(all << shift >> 8 * k), x, shift, k);
    }
    end();
    begin("shift_of");
    EACH(number, x, 0, 1 << 16) {
        u32 m[2] = {x, x >> 8};
        number zeros = x ? (number)__builtin_clz((unsigned)x) - 16 : 15;
        CHECK(shift_of(m, 2) == zeros, x, 0, 0);
    }
    end();
    begin("shifted_modulus_of");
    EACH(number, x, 0, 1 << 16) {
        u32 m[2] = {x, x >> 8};
        struct shifted_modulus s = shifted_modulus_of(m, 2);
        CHECK(s.kind == (x == 0  ? MODULAR_IS_ZERO
                         : x & 1 ? MODULAR_IS_ODD
                                 : MODULAR_IS_EVEN),
              x, s.kind, 0);
    }
    end();
}

static void inverses(void) {
    begin("odd_inverse");
    for (number m = 1; m < 256; m += 2)
        CHECK((u32)(odd_inverse(m) * (u32)m) == 1, m, 0, 0);
    end();
}

/* Checks residues of numbers, and powers of 1/2, modulo m below 2^13. For words of 32 bits the
 * limit of m is 2^61. */
static void euclid(void) {
    number minv, most = 1 << 13;
    begin("plain");
    for (number m = 3; m < most; m += 2 + m / 3 * 2) {
        for (minv = 1; minv * m % 65536 != 1; minv += 2) {
        }
        EACH(number, sum, 0, m) {
            number r = plain(sum, m, minv);
            CHECK(r < m && (r * 65536 + sum) % m == 0, sum, m, r);
        }
    }
    end();
    begin("power_of_jumps");
    for (number m = 3; m < most; m += 2 + m / 3 * 2) {
        number right = 65536 % m;
        for (minv = 1; minv * m % 65536 != 1; minv += 2) {
        }
        u64 table[] = {m, minv, 65536 % m, 65536 % m * (65536 % m) % m};
        EACH(number, jumps, 0, 256) {
            CHECK(power_of_jumps(jumps, table) == right, jumps, m, right);
            for (int i = 0; i < DIGIT_BITS; i++)
                right = (right & 1 ? right + m : right) / 2;
        }
    }
    end();
}

int main(void) {
    bits();
    shifts();
    inverses();
    euclid();
    return 0;
}
