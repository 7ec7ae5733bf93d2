/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues under jumps: words of 5 bits, digits of 3, moduli below 2^7 (2^61 of 2^64). */
#define WORD 5
#define LOG_WORD 0 /* unused */
#define DIGIT_WIDTH 3
#include "tests/proofs/narrow.h"

#include "kernels/modular/tracking.h"
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

/* All parts of numbers below 3 2^2 m; each part is a signed word. */
static void quotients(number m) {
    EACH(number, low, 0, 512) EACH(number, high, 0, 512) {
        if (low + 32 * high >= 12 * m)
            break;
        number r = residue_divide(low, high, m, inverse(m));
        CHECK(r <= m && 8 * r % m == (low + 32 * high) % m, low, high, m);
    }
}

int main(void) {
    signed_products();
    begin("residue_divide");
    for (number m = 3; m < 128; m += 2)
        quotients(m);
    end();
    begin("residue_jump");
    jumps(3), jumps(65), jumps(127);
    end();
    return 0;
}
