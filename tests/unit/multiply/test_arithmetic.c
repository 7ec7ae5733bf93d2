/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the kernels' headers of arithmetic modulo primes, compiled as host C, and the tables of
 * constants. */
#include <inttypes.h>
#include <string.h>

#include "kernels/check/digit_wraparound.h"
#include "kernels/check/residue.h"
#include "kernels/check/wraparound.h"
#include "kernels/common/carry.h"
#include "kernels/common/crt.h"
#include "kernels/common/radix.h"
#include "kernels/sums/divide_1.h"
#include "lib/base/random.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/ntt_tables.h"
#include "lib/device/residue.h"
#include "lib/device/tables.h"
#include "tests/support/testing.h"

static const u32 inverses[PRIMES] = {P0_INV, P1_INV, P2_INV, P3_INV, P4_INV};

static u32 power(u64 a, u64 e, u32 p) {
    u64 r = 1;
    for (; e; e >>= 1, a = a * a % p)
        if (e & 1)
            r = r * a % p;
    return (u32)r;
}

START_TEST(modular_operations) {
    u32 p = ntt_primes[_i], pinv = inverses[_i];
    ck_assert_uint_eq(p * pinv, 1);
    u32 r_inverse = power((1ull << 32) % p, p - 2, p);
    const u32 edges[] = {0, 1, 2, p / 2, p / 2 + 1, p - 2, p - 1};
    for (int i = 0; i < 20000; i++) {
        u32 a = i < 49 ? edges[i % 7] : testing_below(p),
            b = i < 49 ? edges[i / 7] : testing_below(p);
        ck_assert_uint_eq(mod_add(a, b, p), ((u64)a + b) % p);
        ck_assert_uint_eq(mod_sub(a, b, p), ((u64)a + p - b) % p);
        ck_assert_uint_eq(mod_mul(a, b, p, pinv), (u64)a * b % p * r_inverse % p);
        u32 wide = i < 49 ? ~0u - i : (u32)testing_below(1ul << 32);
        ck_assert_uint_eq(mod_mul(wide, b, p, pinv), (u64)(wide % p) * b % p * r_inverse % p);
    }
}
END_TEST

static struct modulus modulus_of(const u32 *table) {
    return (struct modulus){table[TABLE_P], table[TABLE_PINV], table[TABLE_ZERO]};
}

static struct factor factor_in_plain(u32 w, u32 p) {
    return (struct factor){w, (u32)(((u64)w << 32) / p)};
}

/* Tests each operation on values at the ends of its allowed range and between. The result must be
 * right modulo p and below 2 p. */
START_TEST(lazy_operations_keep_their_bounds) {
    u32 p = ntt_primes[_i];
    struct modulus m = {p, inverses[_i], 0};
    u32 r_inverse = power((1ull << 32) % p, p - 2, p);
    const u32 edges[] = {0, 1, p / 2, p - 1, p, p + 1, 2 * p - 2, 2 * p - 1, ~0u - 1, ~0u};
    const u64 highest = ((u64)p << 32) - 1;
    for (int i = 0; i < 40000; i++) {
        u32 a = i < 1000 ? edges[i % 10] : (u32)testing_below(1ul << 32), w = testing_below(p);
        if (i < 1000)
            w = i / 10 % 10 < 4 ? edges[i / 10 % 10] : p - 1 - i / 100;
        struct factor f = factor_in_plain(w, p), g = factor_of((u32)(((u64)w << 32) % p), m);
        ck_assert(g.w == f.w && g.quotient == f.quotient);
        u32 product = lazy_mul(a, f, p);
        ck_assert(product < 2 * (u64)p && product % p == (u64)a % p * w % p);
        u64 t = i < 1000 ? (i & 1 ? highest - i / 2 : (u64)i / 2) : (u64)a * testing_below(p);
        u32 reduced = lazy_reduce(t, m);
        ck_assert(reduced < 2 * (u64)p && reduced % p == t % p * r_inverse % p);
        u32 u = a % p, sum = lazy_add(u, w, m), difference = lazy_sub(u, w, m);
        ck_assert(sum < 2 * (u64)p && sum % p == ((u64)u + w) % p);
        ck_assert(difference < 2 * (u64)p && difference % p == ((u64)u + p - w) % p);
        u32 lazy = (u32)(a % (2 * (u64)p));
        ck_assert_uint_eq(mod_canonical(lazy, p), lazy % p);
    }
}
END_TEST

START_TEST(primes_are_prime_and_cover_the_bound) {
    mpz_t product, bound, p;
    mpz_inits(product, bound, p, NULL);
    mpz_set_ui(product, 1);
    for (int i = 0; i < PRIMES; i++) {
        mpz_set_ui(p, ntt_primes[i]);
        ck_assert(mpz_probab_prime_p(p, 40) > 0);
        ck_assert_uint_eq((ntt_primes[i] - 1) % (1u << PRIMES_LOG_ORDER), 0);
        ck_assert(i == 0 || ntt_primes[i - 1] < ntt_primes[i]);
        mpz_mul_ui(product, product, ntt_primes[i]);
    }
    mpz_setbit(bound, 64);
    mpz_sub_ui(bound, bound, 1);
    mpz_mul(bound, bound, bound);
    mpz_fdiv_q(product, product, bound);
    ck_assert_uint_eq(mpz_get_ui(product), PRIMES_MAX_TERMS);
    mpz_clears(product, bound, p, NULL);
}
END_TEST

START_TEST(garner_gives_back_the_integer) {
    mpz_t product, x;
    mpz_inits(product, x, NULL);
    mpz_set_ui(product, 1);
    for (int i = 0; i < PRIMES; i++)
        mpz_mul_ui(product, product, ntt_primes[i]);
    for (int i = 0; i < 20000; i++) {
        if (i < 3)
            mpz_sub_ui(x, product, 1 + i);
        else if (i < 6)
            mpz_set_ui(x, i - 3);
        else
            mpz_urandomm(x, *testing_random(), product);
        u32 residues[PRIMES], words[CRT_WORDS], right[CRT_WORDS] = {0};
        for (int k = 0; k < PRIMES; k++)
            residues[k] = (u32)mpz_fdiv_ui(x, ntt_primes[k]);
        mpz_export(right, NULL, -1, sizeof *right, 0, 0, x);
        crt_combine(words, residues);
        ck_assert(memcmp(words, right, sizeof words) == 0);
    }
    mpz_clears(product, x, NULL);
}
END_TEST

START_TEST(words_add_where_they_belong) {
    for (int i = 0; i < 5000; i++) {
        u32 acc[11], sum[11];
        mp_limb_t y[3] = {0}, a[6] = {0};
        testing_limbs(y, 3);
        y[2] &= 0xffffffffu; /* CRT_WORDS words */
        testing_limbs(a, 5);
        int at = 2 * (i % 4);
        memcpy(acc, a, sizeof acc);
        u32 words[CRT_WORDS];
        memcpy(words, y, sizeof words);
        words_add_at(acc, 11, at, words);
        mp_limb_t *from = a + at / 2;
        size_t n = 6 - at / 2;
        mpn_add(from, from, n, y, n < 3 ? n : 3);
        memcpy(sum, a, sizeof sum);
        ck_assert(memcmp(acc, sum, sizeof sum) == 0);
    }
}
END_TEST

START_TEST(spans_carry_like_mpn_add) {
    for (int i = 0; i < 20000; i++) {
        mp_limb_t x[SPAN / 2], y[SPAN / 2], sum[SPAN / 2];
        testing_limbs(x, SPAN / 2);
        testing_limbs(y, SPAN / 2);
        if (i % 4 == 0) /* x is the complement of the other operand, so the sum has all bits set */
            mpn_com(y, x, SPAN / 2);
        mp_limb_t generate = mpn_add_n(sum, x, y, SPAN / 2);
        u32 words[SPAN], other[SPAN];
        memcpy(words, x, sizeof words);
        memcpy(other, y, sizeof other);
        u32 flag = span_add(words, other);
        ck_assert(memcmp(words, sum, sizeof words) == 0);
        ck_assert_uint_eq(flag & CARRY_GENERATE, generate);
        mp_limb_t through = mpn_add_1(sum, sum, SPAN / 2, 1);
        ck_assert_uint_eq(flag >> 1, through);
        span_increment(words, 1);
        ck_assert(memcmp(words, sum, sizeof words) == 0);
    }
}
END_TEST

START_TEST(masks_carry_like_a_chain) {
    for (int i = 0; i < 20000; i++) {
        u32 g = (u32)testing_below(1ul << 32), p = (u32)testing_below(1ul << 32) & ~g;
        if (i % 3 == 0)
            g = 1u << testing_below(32), p = ~g;
        for (u32 in = 0; in < 2; in++) {
            u32 carry = in;
            for (u32 bit = 0; bit < 32; bit++) {
                ck_assert_uint_eq(mask_carry_in(g, p, in, bit), carry);
                carry = (g >> bit & 1) | (p >> bit & carry & 1);
            }
            ck_assert_uint_eq(mask_carry_out(g, p, in), carry);
        }
    }
}
END_TEST

/* Checks the tables: roots W, for which W[2b]^2 = W[b] and W[2b+1]^2 = -W[b]; their inverses; and
 * the powers of a root of order 2^25, in two tables. */
START_TEST(tables_hold_what_they_say) {
    u32 *tables = malloc(sizeof(u32) * PRIMES * TABLE_WORDS);
    ntt_tables_fill(tables);
    for (int i = 0; i < PRIMES; i++) {
        const u32 *t = tables + i * TABLE_WORDS, *w = t + TABLE_W, *wi = t + TABLE_W_INVERSE;
        u32 p = t[TABLE_P], pinv = t[TABLE_PINV], one = t[TABLE_LOW];
        ck_assert_uint_eq(t[TABLE_ZERO], 0);
        for (u32 b = 0; b < 1u << LOG_TABLE_W; b++) {
            u32 x = w[2 * b], parent = w[b / 2 * 2], inverse = wi[2 * b];
            ck_assert_uint_eq((u64)x * x % p, b == 0 ? 1 : b & 1 ? p - parent : parent);
            ck_assert_uint_eq((u64)x * inverse % p, 1);
            ck_assert_uint_eq(w[2 * b + 1], ((u64)x << 32) / p);
            ck_assert_uint_eq(wi[2 * b + 1], ((u64)inverse << 32) / p);
        }
        u32 root = t[TABLE_FINE + 1], x = root;
        for (int k = 0; k < PRIMES_LOG_ORDER - 1; k++)
            x = mod_mul(x, x, p, pinv);
        ck_assert_uint_eq(x, p - one); /* root^(2^24) is -1, so the root's order is exactly 2^25 */
        x = mod_mul(t[TABLE_FINE + (1 << LOG_FINE) - 1], root, p, pinv);
        ck_assert_uint_eq(x, t[TABLE_COARSE + 1]);
        ck_assert_uint_eq(mod_mul(t[TABLE_SCALE + 13], 1u << 13, p, pinv), one);
        u32 digits = t[TABLE_SCALE_DIGITS + 2 * 13]; /* 2^96 / 2^13 */
        x = mod_mul(mod_mul(mod_mul(digits, 1u << 13, p, pinv), 1, p, pinv), 1, p, pinv);
        ck_assert_uint_eq(x, 1);
        for (u32 n = 0; n < LAST_NODES; n++)
            for (u32 l = 1; l < 4; l++)
                for (u32 k = 0; k < 1u << (l - 1); k++)
                    ck_assert(memcmp(t + TABLE_LAST + LAST_PAIRS(l, k) + 4 * n,
                                     w + 2 * ((n << l) + 2 * k), 4 * sizeof *w) == 0);
    }
    free(tables);
}
END_TEST

/* Fills a with values below 2 p, as lazy operations return them: random ones, or only 0 and 2 p -
 * 1. */
static void fill_lazy(u32 *a, int n, u32 p, u32 kind) {
    for (int k = 0; k < n; k++)
        a[k] = kind == 0                          ? 2 * p - 1
               : kind <= 4 && k & 1 << (kind - 1) ? 0
               : kind <= 4                        ? 2 * p - 1
                                                  : (u32)testing_below(2 * (u64)p);
}

START_TEST(radix_steps_go_and_come_back) {
    u32 *tables = malloc(sizeof(u32) * PRIMES * TABLE_WORDS);
    ntt_tables_fill(tables);
    for (int i = 0; i < PRIMES; i++) {
        const u32 *t = tables + i * TABLE_WORDS, *w = t + TABLE_W;
        struct modulus m = modulus_of(t);
        for (u32 node = 0; node < 500; node++) {
            u32 a[16], b[16];
            fill_lazy(a, 16, m.p, node);
            memcpy(b, a, sizeof b);
            radix_forward_4(b, w, node, m);
            /* Result j must be the value of the polynomial with coefficients a at `root` if j is
             * even, and at -`root` if j is odd. */
            for (int j = 0; j < 16; j++) {
                u32 root = w[2 * (8 * node + j / 2)], sum = 0;
                for (int k = 15; k >= 0; k--)
                    sum = (u32)(((u64)sum * (j & 1 ? m.p - root : root) + a[k]) % m.p);
                ck_assert(b[j] < 2 * (u64)m.p && b[j] % m.p == sum);
            }
            radix_inverse_4(b, t + TABLE_W_INVERSE, node, m);
            for (int k = 0; k < 16; k++)
                ck_assert(b[k] < 2 * (u64)m.p && b[k] % m.p == (u64)a[k] * 16 % m.p);
            fill_lazy(b, 16, m.p, node);
            radix_inverse_4(b, t + TABLE_W_INVERSE, node, m);
            for (int k = 0; k < 16; k++)
                ck_assert(b[k] < 2 * (u64)m.p);
        }
    }
    free(tables);
}
END_TEST

START_TEST(residues_agree_with_gmp) {
    mp_limb_t x[50];
    mpz_t z;
    mpz_init(z);
    for (int i = 0; i < 500; i++) {
        size_t n = 1 + testing_below(50);
        testing_limbs(x, n);
        mpz_import(z, n, -1, sizeof *x, 0, 0, x);
        ck_assert_uint_eq(residue_of((u32 *)x, 2 * n, RESIDUE_MODULUS),
                          mpz_fdiv_ui(z, RESIDUE_MODULUS));
    }
    mpz_clear(z);
}
END_TEST

/* Returns B^limbs modulo q.m in Montgomery form, where B = 2^64. */
static uint64_t over(size_t limbs, struct check_modulus q) {
    uint64_t power = q.one;
    while (limbs-- > 0)
        power = (uint64_t)(((unsigned __int128)power << 64) % q.m);
    return power;
}

/* Computes the part of one work-item of kernels/check/wraparound.cl: the sum, modulo q, of products
 * of limbs k to k + each - 1 of u = {up, n} by digits of v = {vp, n}. Only products at or above
 * 2^(64 n) count. A digit of v has `digit` limbs. */
static struct wraparound_part part_of(const mp_limb_t *up, const mp_limb_t *vp, size_t n, size_t k,
                                      size_t each, size_t digit, struct check_modulus q) {
    struct wraparound_walk w = {0, 0, 0, 0, 0, {0, 0}};
    for (size_t i = 0; i < each; i++) {
        size_t at = k + each - 1 - i;
        wraparound_next(&w, up[at], vp[n - 1 - at], (u32)digit, over(1, q), q.m, q.minv);
    }
    return wraparound_end(&w, over(digit > 1 ? digit : 0, q), over(each, q), q.one, q.m, q.minv);
}

START_TEST(moduli_are_prime) {
    mpz_t m;
    mpz_init(m);
    uint64_t ored = 0, anded = UINT64_MAX;
    for (int i = 0; i < 300; i++) {
        const uint64_t p = tables_random_prime();
        mpz_set_ui(m, p);
        ck_assert_msg(p >> 60 == 1 && mpz_probab_prime_p(m, 30) > 0, "%" PRIu64, p);
        ored |= p;
        anded &= p;
    }
    /* each of the 61 bits is 1 in some of the primes */
    ck_assert_uint_eq(ored, ((uint64_t)1 << 61) - 1);
    /* only the lowest and the highest bit are 1 in all of the primes */
    ck_assert_uint_eq(anded, (uint64_t)1 << 60 | 1);
    mpz_set_ui(m, tables_check_modulus().m);
    ck_assert_int_gt(mpz_probab_prime_p(m, 30), 0);
    ck_assert_uint_eq(tables_check_modulus().m, mpz_get_ui(m));
    mpz_clear(m);
}
END_TEST

/* Compares the sum of all products of limbs that are at or above 2^(64 n) with GMP's. u is cut into
 * a low and a high part of random lengths; wraparound_join adds up the sums of both parts. */
START_TEST(what_wraps_round_agrees_with_gmp) {
    mpz_t right, u, v;
    mpz_inits(right, u, v, NULL);
    for (int i = 0; i < 2000; i++) {
        struct check_modulus q =
            tables_modulus(i == 0 ? ((uint64_t)1 << 61) - 1 : random_modulus());
        size_t digit = 1 + testing_below(4), low = (1 + testing_below(6)) * digit,
               high = (1 + testing_below(6)) * digit, n = low + high;
        mp_limb_t up[48], vp[48];
        testing_limbs(up, n);
        testing_limbs(vp, n);
        mpz_set_ui(right, 0);
        /* The digit of v that begins at limb j gives products at or above 2^(64 n) with the limbs
         * of u at or above n - j. */
        for (size_t j = digit; j < n; j += digit) {
            mpz_import(u, j, -1, sizeof *up, 0, 0, up + n - j);
            mpz_import(v, digit, -1, sizeof *vp, 0, 0, vp + j);
            mpz_addmul(right, u, v);
        }
        struct wraparound_part all = wraparound_join(part_of(up, vp, n, 0, low, digit, q),
                                                     part_of(up, vp, n, low, high, digit, q),
                                                     over(low, q), over(high, q), q.m, q.minv);
        mpz_import(u, n, -1, sizeof *up, 0, 0, up);
        mpz_import(v, n, -1, sizeof *vp, 0, 0, vp);
        ck_assert_uint_eq(residue_product(all.u, over(1, q), q.m, q.minv), mpz_fdiv_ui(u, q.m));
        ck_assert_uint_eq(all.v, mpz_fdiv_ui(v, q.m));
        ck_assert_uint_eq(residue_product(all.sum, over(2, q), q.m, q.minv),
                          mpz_fdiv_ui(right, q.m));
    }
    mpz_clears(right, u, v, NULL);
}
END_TEST

/* Reduces sums of products of balanced digits, up to the bound of 2^126 and as often negative as
 * not. */
START_TEST(signed_sums_of_digits) {
    for (int i = 0; i < 3000; i++) {
        const struct check_modulus q = tables_modulus(i % 3 == 0   ? ((uint64_t)1 << 61) - 1
                                                      : i % 3 == 1 ? ((uint64_t)1 << 60) + 1
                                                                   : random_modulus());
        const uint64_t high = testing_below((uint64_t)1 << (i % 7 ? 62 : 1)),
                       low = testing_below(UINT64_MAX);
        const int64_t diagonal = (int64_t)testing_below((uint64_t)1 << 63) - ((int64_t)1 << 62);
        const __int128 sum = ((__int128)high << 64 | low) * (i & 1 ? -1 : 1);
        const struct digit_walk w = {.sum = {(uint64_t)sum, (uint64_t)(sum >> 64)},
                                     .diagonal = diagonal};
        __int128 right = (sum + diagonal) % (__int128)q.m;
        right += right < 0 ? (__int128)q.m : 0;
        ck_assert_uint_eq(
            digit_walk_sum(&w, q.m, q.minv),
            residue_product(residue_product((uint64_t)right, 1, q.m, q.minv), 1, q.m, q.minv));
    }
}
END_TEST

/* Computes residues modulo random odd numbers by the kernel's functions, which read two limbs at a
 * time. Compares them with GMP's. */
START_TEST(residue_steps_agree_with_gmp) {
    mpz_t z, shift;
    mpz_inits(z, shift, NULL);
    for (int i = 0; i < 3000; i++) {
        uint64_t m = i == 0   ? ((uint64_t)1 << 61) - 1
                     : i == 1 ? ((uint64_t)1 << 60) + 1
                              : random_modulus();
        ck_assert((m & 1) && m >> 60 == 1);
        uint64_t table[RESIDUE_ENTRIES], r = 0;
        tables_residue_fill(table, tables_modulus(m));
        mp_limb_t x[4];
        testing_limbs(x, 4);
        for (int k = 1; k >= 0; k--)
            r = residue_step(r, (u32 *)(x + 2 * k), table[RESIDUE_ONE], table[RESIDUE_HIGH],
                             table[RESIDUE_STEP], m, table[RESIDUE_MINV]);
        r = residue_product(r, table[RESIDUE_POWERS + RESIDUE_THREADS - 1], m, table[RESIDUE_MINV]);
        mpz_import(z, 2, -1, sizeof *x, 0, 0, x + 2);
        mpz_mul_2exp(z, z, 128 * RESIDUE_THREADS);
        mpz_import(shift, 2, -1, sizeof *x, 0, 0, x);
        mpz_add(z, z, shift);
        mpz_mul_2exp(z, z, 128 * (RESIDUE_THREADS - 1));
        ck_assert_uint_eq(r, mpz_fdiv_ui(z, m));
        u32 index = (u32)testing_below(RESIDUE_THREADS * RESIDUE_STEPS / 2);
        mpz_import(z, 4, -1, sizeof *x, 0, 0, x);
        mpz_mul_2exp(z, z, 256 * index);
        ck_assert_uint_eq(residue_of_span((u32 *)x, index, table), mpz_fdiv_ui(z, m));
    }
    mpz_clears(z, shift, NULL);
}
END_TEST

/* Compares limbs_residue with the residue computed from 32-bit words, for short, medium and long n.
 * Some limbs have all bits set. The residues of two parts of the number must add up to the number's
 * residue. */
START_TEST(residues_of_limbs) {
    enum { MOST = (1 << 16) + 100 };
    const struct check_modulus q = tables_check_modulus();
    mp_limb_t *x = malloc(MOST * sizeof *x);
    ck_assert_ptr_nonnull(x);
    testing_limbs(x, MOST);
    memset(x + 1000, 0xff, 5000 * sizeof *x);
    for (size_t n = 0; n <= MOST; n += n < 70 || n > MOST - 70 ? 1 : 1 + n / 8) {
        const size_t half = testing_below(n + 1);
        uint64_t right = residue_of((const uint32_t *)x, 2 * n, q.m);
        ck_assert_msg(limbs_residue(x, n, q) == right, "%zu limbs", n);
        uint64_t sum = limbs_residue(x, half, q) + limbs_residue_at(x + half, n - half, half, q);
        ck_assert_msg(sum % q.m == right, "%zu and %zu limbs", half, n - half);
    }
    free(x);
}
END_TEST

/* Compares residues modulo several moduli, with IFMA and without, for all lengths around the
 * blocks' ends. The limbs are random or have all bits set; the moduli are random primes, and the
 * greatest and the least odd number of 61 bits. */
START_TEST(residues_with_and_without_ifma) {
    enum { MOST = 3 * LIMBS_RESIDUE_BLOCK + 20 };
    static uint64_t x[MOST];
    static struct limbs_weights own;
    for (int k = 0; k < 8; k++) {
        const uint64_t m = k == 0   ? (UINT64_C(1) << 61) - 1
                           : k == 1 ? (UINT64_C(1) << 60) + 1
                                    : tables_random_prime();
        const struct limbs_weights *w = limbs_weights_of(tables_modulus(m), MOST, &own);
        testing_limbs((mp_ptr)x, MOST);
        if (k % 2 == 0)
            memset(x, 0xff, sizeof x);
        for (size_t n = 0; n <= MOST; n++) {
            const uint64_t right = n == 0 ? 0 : mpn_mod_1((mp_srcptr)x, (mp_size_t)n, m);
            ck_assert_msg(limbs_residue_of_block(x, n, w) == right, "%zu limbs, IFMA if possible",
                          n);
            ck_assert_msg(limbs_residue_without_ifma(x, n, w) == right, "%zu limbs", n);
        }
    }
}
END_TEST

/* Compares residues of numbers that are so long that several threads compute them. */
START_TEST(residues_of_many_limbs) {
    enum { MOST = (1 << 24) + (1 << 17), UNIT = 1 << 15 };
    static const size_t lengths[] = {1 << 17, (1 << 18) + 12345, 1 << 24, (1 << 24) + 1, MOST - 7};
    const struct check_modulus q = tables_check_modulus();
    mp_limb_t *x = malloc(MOST * sizeof *x);
    ck_assert_ptr_nonnull(x);
    testing_limbs(x, UNIT);
    for (size_t i = UNIT; i < MOST; i++)
        x[i] = x[i - UNIT] + i;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        ck_assert_msg(limbs_residue(x, lengths[k], q) == mpn_mod_1(x, (mp_size_t)lengths[k], q.m),
                      "%zu limbs", lengths[k]);
    free(x);
}
END_TEST

/* Divides q d + r by d with q and r at or next to the ends of their ranges, where divide_1_step
 * must correct its estimate. */
START_TEST(words_divide_as_c_does) {
    static const u32 ends[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    const size_t count = sizeof ends / sizeof *ends;
    for (size_t i = 0; i < 300000; i++) {
        u32 d = (i % 3 ? (u32)testing_below(1ul << 32) : ends[i / 3 % count]) | 0x80000000;
        u32 q = i % 5 ? (u32)testing_below(1ul << 32) : ends[i / 5 % count];
        u32 r = i % 2 ? (u32)testing_below(d) : i % 4 ? d - 1 - (u32)(i % 16) : (u32)(i % 16);
        u64 x = (u64)q * d + r, v = ~(u64)0 / d - ((u64)1 << 32);
        u32 rest = (u32)(x >> 32);
        ck_assert_uint_eq(divide_1_step(&rest, (u32)x, d, (u32)v), q);
        ck_assert_uint_eq(rest, r);
        ck_assert_uint_eq(divide_1_join(r, q % d, d - 1, d, (u32)v),
                          ((u64)r * (q % d) + d - 1) % d);
    }
}
END_TEST

int main(void) {
    testing_random();
    return testing_main(
        "arithmetic", 120,
        TESTS(LOOP(modular_operations, PRIMES), LOOP(lazy_operations_keep_their_bounds, PRIMES),
              ONCE(primes_are_prime_and_cover_the_bound), ONCE(garner_gives_back_the_integer),
              ONCE(words_add_where_they_belong), ONCE(spans_carry_like_mpn_add),
              ONCE(masks_carry_like_a_chain), ONCE(tables_hold_what_they_say),
              ONCE(radix_steps_go_and_come_back), ONCE(residues_agree_with_gmp),
              ONCE(residue_steps_agree_with_gmp), ONCE(words_divide_as_c_does),
              ONCE(residues_of_limbs), ONCE(residues_with_and_without_ifma),
              ONCE(residues_of_many_limbs), ONCE(moduli_are_prime),
              ONCE(what_wraps_round_agrees_with_gmp), ONCE(signed_sums_of_digits)));
}
