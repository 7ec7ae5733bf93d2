/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the steps of kernels/common/radix.h, which compute several levels of a transform:
 * compares their results with sums of products. Words have 8 bits. A result is a linear function
 * of each value and of each factor. So it suffices to try the factors 0 and 1, and inputs of
 * which only one value is not 0. */
#define WORD 8
#define LOG_WORD 3
#define DIGIT_WIDTH 7
#include "tests/proofs/narrow.h"

#include "kernels/common/radix.h"
#include "tests/proofs/enumerate.h"

enum { P = 113, P_INVERSE = 145 }; /* 113 * 145 = 1 modulo 256 */
static const struct modulus modulus = {P, P_INVERSE, 0};
static u32 table[512];

static void set_factor(number node, number w) {
    table[2 * node] = w, table[2 * node + 1] = 256 * w / P;
}

/* Returns the factor by which a forward step of q levels multiplies value k for result j. Level l
 * contributes a factor if bit q - 1 - l of k is set. This factor is w of the node of level l above
 * j, or -w if the same bit of j is set. The result is the product of these factors. */
static number weight(number q, number node, number j, number k) {
    number r = 1;
    EACH(number, l, 0, q) if (k >> (q - 1 - l) & 1) {
        number w = (number)table[2 * ((node << l) + (j >> (q - l)))];
        r = r * (j >> (q - 1 - l) & 1 ? P - w : w) % P;
    }
    return r;
}

#define STEP(name, q)                                                                              \
    static void name##_##q##_(u32 *a, number node) {                                               \
        name##_##q(a, table, (u32)node, modulus);                                                  \
    }
STEP(radix_forward, 1)
STEP(radix_forward, 2)
STEP(radix_forward, 3)
STEP(radix_forward, 4)
STEP(radix_inverse, 1)
STEP(radix_inverse, 2)
STEP(radix_inverse, 3)
STEP(radix_inverse, 4)

static void check_step(number q, number node, int is_inverse, void (*work)(u32 *, number)) {
    number all = (number)1 << q, factors = all - 1;
    for (number set = 0; set < (number)1 << factors; set += q == 4 ? 5 : 1) {
        number at = 0;
        EACH(number, l, 0, q)
        EACH(number, block, 0, (number)1 << l) set_factor((node << l) + block, set >> at++ & 1);
        EACH(number, k, 0, all) {
            u32 a[16] = {0};
            a[k] = 1;
            work(a, node);
            EACH(number, j, 0, all) {
                number right = is_inverse ? weight(q, node, k, j) : weight(q, node, j, k);
                CHECK(a[j] < 2 * P && a[j] % P == right, set, j, k);
            }
        }
    }
    /* all values and factors at once, pseudo-random */
    EACH(number, i, 0, 2000) {
        u32 a[16], b[16];
        EACH(number, n, 0, 256) if (n < 256) set_factor(n % 256, (i * 31 + n * 17) % P);
        EACH(number, k, 0, all) a[k] = b[k] = (i * 101 + k * k * 7) % (2 * P);
        work(a, node);
        EACH(number, j, 0, all) {
            number right = 0;
            EACH(number, k, 0, all)
            right += (number)b[k] * (is_inverse ? weight(q, node, k, j) : weight(q, node, j, k));
            CHECK(a[j] < 2 * P && a[j] % P == right % P, i, j, q);
        }
    }
}

int main(void) {
    static void (*const forward[])(u32 *, number) = {radix_forward_1_, radix_forward_2_,
                                                     radix_forward_3_, radix_forward_4_};
    static void (*const inverse[])(u32 *, number) = {radix_inverse_1_, radix_inverse_2_,
                                                     radix_inverse_3_, radix_inverse_4_};
    begin("factors");
    for (u32 count = 1; count <= 8; count *= 2)
        for (number n = 0; n + (number)count < 128; n += (number)count) {
            struct factor f[8];
            EACH(int, i, 0, 512) table[i] = (u32)(i * 0x9e3779b1u >> 9);
            factors(f, table, (u32)n, count);
            EACH(number, k, 0, count)
            CHECK(f[k].w == table[2 * (n + k)] && f[k].quotient == table[2 * (n + k) + 1], n, count,
                  k);
        }
    end();
    begin("radix_forward");
    EACH(number, q, 1, 5) EACH(number, node, 0, 4) check_step(q, node, 0, forward[q - 1]);
    end();
    begin("radix_inverse");
    EACH(number, q, 1, 5) EACH(number, node, 0, 4) check_step(q, node, 1, inverse[q - 1]);
    end();
    return 0;
}
