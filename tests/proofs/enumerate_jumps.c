/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks the residues that follow division steps (jumps). Words have 5 bits, digits 3 bits. Moduli
 * are below 2^7; for words of 32 bits the limit is 2^61. */
#define WORD 5
#define LOG_WORD 0 /* unused */
#define DIGIT_WIDTH 3
#include "tests/proofs/narrow.h"

#define DIGITS 1
#define ON_CPU
#include "kernels/modular/divsteps.h"
#include "tests/proofs/enumerate.h"

static number inverse(number m) {
    number x = 1;
    while (m * x % 1024 != 1)
        x += 2;
    return x;
}

static void signed_products(void) {
    begin("residue_signed");
    for (number m = 3; m < 128; m += 2)
        EACH(int, x, -8, 9) EACH(number, y, 0, m + 1) {
            u64 low = 0, high = 0;
            residue_signed(&low, &high, x, y, m);
            long whole = (long)(number)low + 32 * (long)(number)high;
            CHECK((whole - x * (long)y) % (long)m == 0 && whole >= 0, x, y, m);
        }
    end();
}

/* Checks residue_jump, modulo m, for all rows (a, b) that a matrix of division steps can have, and
 * all carries z from -1 to 1. */
static void jumps(number m) {
    EACH(int, a, -8, 9)
    EACH(int, b, abs(a) - 8, 9 - abs(a))
    EACH(int, z, -1, 2) EACH(number, x, 0, m + 1) EACH(number, y, 0, m + 1) {
        long r = (long)(number)residue_jump(a, x, b, y, z, m, inverse(m));
        CHECK(r <= (long)m && (8 * r - a * (long)x - b * (long)y - z) % (long)m == 0, a, b, m);
    }
}

/* Checks residue_divide for all numbers low + 32 high below 12 m. */
static void quotients(number m) {
    EACH(number, low, 0, 512) EACH(number, high, 0, 512) {
        if (low + 32 * high >= 12 * m)
            break;
        number r = residue_divide(low, high, m, inverse(m));
        CHECK(r <= m && 8 * r % m == (low + 32 * high) % m, low, high, m);
    }
}

/* Checks residue_matrix_jump, which applies a jump to a matrix of residues, modulo m. */
static void matrix_jumps(number m) {
    EACH(int, a, -8, 9)
    EACH(int, b, abs(a) - 8, 9 - abs(a)) EACH(number, i, 0, (m + 1) * (m + 1) * (m + 1) * (m + 1)) {
        struct jump j = {a, b, (s32)(b + (a > 0) - (b > 0)), (s32)-a};
        number x[4], rest = i;
        u64 p[4];
        for (int k = 0; k < 4; k++, rest /= m + 1)
            x[k] = rest % (m + 1), p[k] = x[k];
        residue_matrix_jump(p, j, m, inverse(m));
        EACH(int, k, 0, 4) {
            long right = (k < 2 ? (long)j.a : (long)j.c) * (long)x[k % 2] +
                         (k < 2 ? (long)j.b : (long)j.d) * (long)x[k % 2 + 2];
            CHECK(p[k] <= m && ((long)(number)p[k] * 8 - right) % (long)m == 0, a, b, i);
        }
    }
}

/* Compares one division step, modulo 2^5, with its definition. */
static void single_steps(void) {
    static const int deltas[] = {-15, -3, -1, 1, 3, 13};
    EACH(number, f, 0, 16)
    EACH(number, g, 0, 32) EACH(int, n, 0, 6) EACH(number, a, 0, 32) EACH(number, c, 0, 32) {
        u32 b = (u32)(a * 5 + c), d = (u32)(c * 11 + 3 * a);
        struct steps s = {(u32)(2 * f + 1), (u32)g, (u32)a, b, (u32)c, d, (u32)(s32)deltas[n]},
                     r = divstep(s);
        int is_odd = g & 1, swap = is_odd && deltas[n] > 0, sign = is_odd ? swap ? -1 : 1 : 0;
        u32 new_g = (u32)(g + sign * (long)(2 * f + 1));
        CHECK(r.f == (swap ? s.g : s.f) && r.g == new_g >> 1 &&
                  r.delta == (u32)(s32)((swap ? -deltas[n] : deltas[n]) + 2),
              f, g, deltas[n]);
        CHECK(r.a == (u32)(2 * (swap ? c : a)) && r.b == (u32)((swap ? d : b) * 2) &&
                  r.c == (u32)(c + sign * (long)a) &&
                  r.d == (u32)((long)(number)d + sign * (long)(number)b),
              a, c, f * 32 + g);
    }
}

int main(void) {
    signed_products();
    begin("residue_divide");
    for (number m = 3; m < 128; m += 2)
        quotients(m);
    end();
    begin("residue_matrix_jump");
    matrix_jumps(3), matrix_jumps(5);
    end();
    begin("divstep");
    single_steps();
    end();
    begin("residue_jump");
    jumps(3), jumps(65), jumps(127);
    end();
    return 0;
}
