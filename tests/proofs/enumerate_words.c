/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks functions on single words, with words of 8 bits, for all inputs that their contracts
 * allow; for butterflies, fewer moduli. */
#define WORD 8
#define LOG_WORD 3
#include "tests/proofs/narrow.h"

#include "kernels/common/carry.h"
#include "kernels/common/crt.h"
#include "kernels/common/radix.h"
#include "tests/proofs/enumerate.h"

static number inverse(number p) {
    number x = 1;
    while (p * x % 256 != 1)
        x += 2;
    return x;
}

/* Tries each odd p below `most`, with pinv, its inverse modulo 256. */
#define EACH_MODULUS(p, most)                                                                      \
    for (number p = 3, pinv = inverse(3); p < (most); p += 2, pinv = inverse(p))

static void sums(void) {
    begin("mod_add");
    EACH_MODULUS(p, 128)
    EACH(number, a, 0, p) EACH(number, b, 0, p) CHECK(mod_add(a, b, p) == (a + b) % p, a, b, p);
    end();
    begin("mod_sub");
    EACH_MODULUS(p, 128)
    EACH(number, a, 0, p) EACH(number, b, 0, p) CHECK(mod_sub(a, b, p) == (a + p - b) % p, a, b, p);
    end();
    begin("mod_canonical");
    EACH_MODULUS(p, 128) EACH(number, a, 0, 2 * p) CHECK(mod_canonical(a, p) == a % p, a, 0, p);
    end();
    begin("lazy_add");
    EACH_MODULUS(p, 128)
    EACH(number, a, 0, p) EACH(number, b, 0, p) {
        struct modulus m = {p, pinv, 0};
        CHECK(lazy_add(a, b, m) == a + b, a, b, p);
    }
    end();
    begin("lazy_sub");
    EACH_MODULUS(p, 128)
    EACH(number, a, 0, p) EACH(number, b, 0, p) {
        struct modulus m = {p, pinv, 0};
        CHECK(lazy_sub(a, b, m) == a + p - b, a, b, p);
    }
    end();
}

static void products(void) {
    begin("mod_mul");
    EACH_MODULUS(p, 128)
    EACH(number, a, 0, 256) EACH(number, b, 0, p) {
        number r = mod_mul(a, b, p, pinv);
        CHECK(r < p && r * 256 % p == a * b % p, a, b, p);
    }
    end();
    begin("lazy_reduce");
    EACH_MODULUS(p, 128)
    EACH(number, t, 0, 256 * p) {
        struct modulus m = {p, pinv, 0};
        number r = lazy_reduce(t, m);
        CHECK(r < 2 * p && r * 256 % p == t % p, t, 0, p);
    }
    end();
    begin("lazy_mul");
    EACH_MODULUS(p, 128)
    EACH(number, w, 0, p) EACH(number, a, 0, 256) {
        struct factor f = {w, 256 * w / p};
        number r = lazy_mul(a, f, p);
        CHECK(r < 2 * p && r % p == a * w % p, a, w, p);
    }
    end();
    begin("factor_of");
    EACH_MODULUS(p, 128)
    EACH(number, c, 0, p) {
        struct modulus m = {p, pinv, 0};
        struct factor f = factor_of(c, m);
        CHECK(f.w < p && 256 * (number)f.w % p == c && f.quotient == 256 * (number)f.w / p, c, 0,
              p);
    }
    end();
    begin("garner_step");
    EACH_MODULUS(p, 128)
    EACH(number, a, 0, p)
    EACH(number, v, 0, p)
    EACH(number, c, 0, p) CHECK(garner_step(a, v, c, p) == (a + p - v) * c % p, a, v, c);
    end();
}

/* Checks both butterflies for moduli below 32 and for the greatest modulus, with all values below 2
 * p. */
static void butterflies(void) {
    begin("forward_butterfly");
    EACH_MODULUS(p, 128)
    EACH(number, u, 0, p < 32 || p > 125 ? 2 * p : 0)
    EACH(number, v, 0, 2 * p) EACH(number, w, 0, p) {
        struct modulus m = {p, pinv, 0};
        struct factor f = {w, 256 * w / p};
        u32 a = u, b = v;
        forward_butterfly(&a, &b, f, m);
        CHECK(a < 2 * p && b < 2 * p && a % p == (u + v * w) % p &&
                  b % p == (u + p * p * 2 - v * w) % p,
              u, v, w);
    }
    end();
    begin("inverse_butterfly");
    EACH_MODULUS(p, 128)
    EACH(number, u, 0, p < 32 || p > 125 ? 2 * p : 0)
    EACH(number, v, 0, 2 * p) EACH(number, w, 0, p) {
        struct modulus m = {p, pinv, 0};
        struct factor f = {w, 256 * w / p};
        u32 a = u, b = v;
        inverse_butterfly(&a, &b, f, m);
        CHECK(a < 2 * p && b < 2 * p && a % p == (u + v) % p && b % p == (u + 2 * p - v) * w % p, u,
              v, w);
    }
    end();
}

/* Returns the carry into position `bit` of a row of 8 flags; for bit 8, the carry out of the
 * row. */
static number carry_at(number g, number p, number carry, number bit) {
    EACH(number, i, 0, bit) carry = (g >> i & 1) || ((p >> i & 1) && carry);
    return carry;
}

static void masks(void) {
    begin("mask_carry_out");
    EACH(number, g, 0, 256)
    EACH(number, p, 0, 256)
    EACH(number, carry, 0, 2)
    if (!(g & p))
        CHECK(mask_carry_out(g, p, carry) == carry_at(g, p, carry, 8), g, p, carry);
    end();
    begin("mask_carry_in");
    EACH(number, g, 0, 256)
    EACH(number, p, 0, 256)
    EACH(number, carry, 0, 2)
    EACH(number, bit, 0, 8)
    if (!(g & p))
        CHECK(mask_carry_in(g, p, carry, bit) == carry_at(g, p, carry, bit), g, p, bit);
    end();
}

int main(void) {
    sums();
    products();
    butterflies();
    masks();
    return 0;
}
