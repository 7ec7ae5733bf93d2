/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks arithmetic on vectors (kernels/common/simd.h) with words of 8 bits: uint16 is a vector of
 * bytes, ulong8 a vector of words of two bytes. clang has such vectors. narrow.sh creates the
 * headers. This file replaces tests/proofs/narrow.h. Steps of several levels are checked as in
 * enumerate_radix.c. */
#define WORD 8
#define LOG_WORD 3
#define PLATFORM_H

typedef unsigned char u32;
typedef unsigned short u64;
typedef u32 uint16 __attribute__((ext_vector_type(16)));
typedef u64 ulong8 __attribute__((ext_vector_type(8)));
#define FN __attribute__((unused)) static inline
#define UNROLL
#define MULHI32(a, b) ((u32)((u64)(a) * (u64)(b) >> WORD))
#define MIN32(a, b) ((u32)(a) < (u32)(b) ? (u32)(a) : (u32)(b))
#define as_ulong8(x) ((ulong8)(x))
#define as_uint16(x) ((uint16)(x))
static uint16 min(uint16 a, uint16 b) {
    for (int i = 0; i < 16; i++)
        a[i] = a[i] < b[i] ? a[i] : b[i];
    return a;
}

#include "kernels/common/simd.h"
#include "tests/proofs/enumerate.h"

static number inverse(number p) {
    number x = 1;
    while (p * x % 256 != 1)
        x += 2;
    return x;
}

#define EACH_MODULUS(m)                                                                            \
    for (struct simd_modulus m = {3, 171}; m.p < 128; m.p += 2, m.pinv = inverse(m.p))
/* Tries vectors of 16 adjacent values below `most`. */
#define EACH_VECTOR(x, most) for (number x = 0; x < (most); x += 16)
static uint16 vector(number x, number most) {
    uint16 r;
    for (int i = 0; i < 16; i++)
        r[i] = (x + i) % most;
    return r;
}

static void sums(void) {
    begin("simd_add");
    EACH_MODULUS(m) EACH_VECTOR(a, m.p) EACH(number, b, 0, m.p) {
        uint16 x = vector(a, m.p), y = vector(b, m.p), r = simd_add(x, y, m);
        EACH(int, i, 0, 16) CHECK(r[i] == (x[i] + y[i]) % m.p, x[i], y[i], m.p);
    }
    end();
    begin("simd_sub");
    EACH_MODULUS(m) EACH_VECTOR(a, m.p) EACH(number, b, 0, m.p) {
        uint16 x = vector(a, m.p), y = vector(b, m.p), r = simd_sub(x, y, m);
        EACH(int, i, 0, 16) CHECK(r[i] == (x[i] + m.p - y[i]) % m.p, x[i], y[i], m.p);
    }
    end();
}

/* Returns true if the high byte of r is t / 2^8 modulo p, between -p and p, and the low byte is
 * 0. */
static int is_reduced(number r, number t, number p) {
    long high = (long)(short)r / 256;
    return r % 256 == 0 && high > -(long)p && high < (long)p &&
           (high * 256 - (long)t) % (long)p == 0;
}

static void products(void) {
    begin("simd_reduced");
    EACH_MODULUS(m) for (number t = 0; t < 256 * m.p; t += 8) {
        ulong8 x, r;
        EACH(int, i, 0, 8) x[i] = t + i;
        r = simd_reduced(x, m);
        EACH(int, i, 0, 8) CHECK(is_reduced(r[i], t + i, m.p), t, i, m.p);
    }
    end();
    begin("simd_product");
    EACH_MODULUS(m) for (number a = 0; a < 256; a += 8) EACH(number, b, 0, m.p) {
        ulong8 x, y, r;
        EACH(int, i, 0, 8) x[i] = (a + i) | b << 8, y[i] = b | a << 8;
        r = simd_product(x, y, m);
        EACH(int, i, 0, 8) CHECK(is_reduced(r[i], (a + i) * b, m.p), a, b, m.p);
    }
    end();
    begin("simd_mul");
    EACH_MODULUS(m) EACH_VECTOR(a, 256) EACH(number, b, 0, m.p) {
        uint16 x = vector(a, 256), y = vector(b, m.p), r = simd_mul(x, y, m);
        EACH(int, i, 0, 16)
        CHECK(r[i] < m.p && r[i] * 256 % m.p == x[i] * y[i] % m.p, x[i], y[i], m.p);
    }
    end();
    begin("simd_mul_word");
    EACH_MODULUS(m) EACH_VECTOR(a, 256) EACH(number, b, 0, m.p) {
        uint16 x = vector(a, 256), r = simd_mul_word(x, b, m);
        EACH(int, i, 0, 16) CHECK(r[i] < m.p && r[i] * 256 % m.p == x[i] * b % m.p, x[i], b, m.p);
    }
    end();
}

/* ---- steps: w[2^l + block] is the factor of block `block` of level l, in Montgomery form */

enum { P = 113 };
static const struct simd_modulus modulus = {P, 145};
static u32 words[16];
static uint16 vectors[16];

static number weight(number q, number j, number k) {
    number r = 1;
    EACH(number, l, 0, q) if (k >> (q - 1 - l) & 1) {
        number w =
            (number)words[((number)1 << l) + (j >> (q - l))] * 49 % P; /* 49 * 256 = 1 modulo P */
        r = r * (j >> (q - 1 - l) & 1 ? P - w : w) % P;
    }
    return r;
}

static void run(number q, int way, uint16 *a) {
    switch (way * 8 + q) {
    case 1:
        simd_forward_1(a, words, modulus);
        break;
    case 2:
        simd_forward_2(a, words, modulus);
        break;
    case 3:
        simd_forward_3(a, words, modulus);
        break;
    case 4:
        simd_forward_4(a, words, modulus);
        break;
    case 9:
        simd_inverse_1(a, words, modulus);
        break;
    case 10:
        simd_inverse_2(a, words, modulus);
        break;
    case 11:
        simd_inverse_3(a, words, modulus);
        break;
    case 12:
        simd_inverse_4(a, words, modulus);
        break;
    case 20:
        simd_lanes_forward_4(a, vectors, modulus);
        break;
    default:
        simd_lanes_inverse_4(a, vectors, modulus);
    }
}

/* Computes 16 steps at once: in column i of the vectors, value i is 1 and all others are 0. */
static void check_steps(number q, int way, number each) {
    number all = (number)1 << q;
    for (number set = 0; set < (number)1 << (all - 1); set += each) {
        uint16 a[16];
        EACH(number, i, 1, all) words[i] = set >> (i - 1) & 1 ? 256 % P : 0, vectors[i] = words[i];
        EACH(number, k, 0, all) EACH(number, i, 0, 16) a[k][i] = i == k;
        run(q, way, a);
        EACH(number, j, 0, all)
        EACH(number, k, 0, all)
        CHECK(a[j][k] == (way & 1 ? weight(q, k, j) : weight(q, j, k)), set, j, k);
    }
}

static void steps(number step) {
    EACH(int, way, 0, 2) {
        begin(way ? "name_inverse"
                  : "name_forward"); /* begin("name_inverse") begin("name_forward") */
        EACH(number, q, 1, 4) check_steps(q, way, 1);
        check_steps(4, way, step > 1 ? 97 : 3);
        check_steps(4, way + 2, step > 1 ? 97 : 3);
        end();
    }
}

int main(int argc, char **argv) {
    sums();
    products();
    steps(argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
    return 0;
}
