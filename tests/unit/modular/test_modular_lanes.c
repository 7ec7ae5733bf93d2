/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests kernels/modular/ as NVIDIA GPUs run them, where several lanes of a warp share a number and
 * use carry flags and shuffles. The warp is emulated on the host (tests/unit/modular/warp.h);
 * results are compared with GMP's. */
#include <string.h>

#include "kernels/check/residue.h"
#include "kernels/modular/modular.h"
#include "lib/device/residue.h"
#include "lib/device/tables.h"
#include "lib/modular/modular.h"
#include "tests/support/testing.h"
#include "tests/unit/modular/lanes.h"

static const struct lanes_program *const programs[] = {&lanes_8, &lanes_16, &lanes_32, &lanes_64,
                                                       &lanes_256};
enum { PROGRAMS = sizeof programs / sizeof *programs, COUNT = 5, MOST = MODULAR_MOST_WORDS / 2 };

static mp_limb_t u[2 * COUNT * MOST], v[COUNT * MOST], m[COUNT * MOST], r[COUNT * MOST],
    known[COUNT * (2 * MOST + 1)], kinds[COUNT], tables[32 * 8 * MOST * 2];
static uint64_t table[RESIDUE_ENTRIES], record[MODULAR_RECORDS * COUNT];
static uint32_t passed[2];

static void fill(mp_limb_t *xp, size_t n) {
    for (size_t i = 0; i < COUNT; i++)
        testing_limbs(xp + i * n, n);
}

static struct lanes_launch launch_of(uint32_t words) {
    size_t n = words / 2;
    fill(u, n);
    fill(v, n);
    fill(m, n);
    for (size_t i = 0; i < COUNT; i++)
        m[i * n] |= 1;
    if (testing_below(2)) {
        memset(m, 0, n * sizeof *m);
        m[0] = 1;
        memset(m + n, -1, n * sizeof *m);
    }
    return (struct lanes_launch){.r = (uint32_t *)r,
                                 .known = (uint32_t *)known,
                                 .kinds = (uint32_t *)kinds,
                                 .passed = passed,
                                 .table = table,
                                 .tables = (uint32_t *)tables,
                                 .u = (uint32_t *)u,
                                 .v = (uint32_t *)v,
                                 .m = (uint32_t *)m,
                                 .count = COUNT,
                                 .words = words,
                                 .u_words = words,
                                 .rows = modular_rows(words),
                                 .rows_of_key = modular_rows(words),
                                 .slots = 32};
}

static void expect(size_t i, size_t n, const mp_limb_t *rp, mpz_srcptr right, const char *what) {
    mpz_t got;
    mpz_roinit_n(got, rp, (mp_size_t)n);
    if (mpz_cmp(got, right) != 0)
        gmp_fprintf(stderr, "got %Zx\nnot %Zx\n", got, right);
    ck_assert_msg(mpz_cmp(got, right) == 0, "%s: number %zu of %zu limbs", what, i, n);
}

static void expect_known(const struct lanes_launch *l) {
    size_t n = l->words / 2;
    mpz_t x, w;
    mpz_init(x);
    for (size_t i = 0; i < COUNT; i++) {
        mpz_roinit_n(w, m + i * n, (mp_size_t)n);
        for (unsigned square = 0; square < 2; square++) {
            mpz_set_ui(x, 1);
            mpz_mul_2exp(x, x, (mp_bitcnt_t)32 * l->rows << square);
            mpz_mod(x, x, w);
            expect(i, n, known + i * (2 * n + 1) + (square ? 0 : n), x, "known");
        }
        ck_assert_uint_eq(kinds[i], MODULAR_IS_ODD);
        ck_assert_uint_eq((uint32_t)(known[i * (2 * n + 1) + 2 * n] * m[i * n] + 1), 0);
    }
    mpz_clear(x);
}

static void expect_arithmetic(const struct lanes_launch *l, size_t i) {
    size_t n = l->words / 2;
    mpz_t x, a, b, w;
    mpz_init(x);
    mpz_roinit_n(a, u + i * l->u_words / 2, l->u_words / 2);
    mpz_roinit_n(b, v + i * n, (mp_size_t)n);
    mpz_roinit_n(w, m + i * n, (mp_size_t)n);
    if (l->kind == MODULAR_ADD)
        mpz_add(x, a, b);
    else if (l->kind == MODULAR_SUB)
        mpz_sub(x, a, b);
    else if (l->kind == MODULAR_MUL)
        mpz_mul(x, a, b);
    else
        mpz_set(x, a);
    mpz_mod(x, x, w);
    expect(i, n, r + i * n, x, "arithmetic");
    mpz_clear(x);
}

/* ---- the residues that kernels record for the check */

/* Returns x 2^64 / 2^(32 rows) modulo RESIDUE_MODULUS, or x modulo RESIDUE_MODULUS if rows is 0. */
static uint64_t residue_by_gmp(mpz_srcptr x, uint32_t rows) {
    mpz_t p, y;
    mpz_init_set_ui(p, RESIDUE_MODULUS);
    mpz_init_set_ui(y, 1);
    if (rows) {
        mpz_mul_2exp(y, y, (mp_bitcnt_t)32 * rows);
        mpz_invert(y, y, p);
        mpz_mul_2exp(y, y, 64);
    }
    mpz_mul(y, y, x);
    mpz_mod(y, y, p);
    uint64_t residue = mpz_get_ui(y);
    mpz_clears(p, y, NULL);
    return residue;
}

/* Returns true if the kernel has recorded the right residue of {xp, n}, which is number i of the
 * given kind (result, base, modulus or exponent). */
static bool is_traced(const struct lanes_launch *l, int kind, size_t i, const mp_limb_t *xp,
                      size_t n) {
    mpz_t x;
    mpz_roinit_n(x, xp, (mp_size_t)n);
    return record[(size_t)kind * COUNT + i] ==
           1 + residue_by_gmp(x, kind == MODULAR_OF_EXPONENT ? 0 : l->rows);
}

static void expect_traced(const struct lanes_launch *l, bool is_power) {
    size_t n = l->words / 2;
    for (size_t i = 0; l->record && i < COUNT; i++) {
        ck_assert(is_traced(l, MODULAR_OF_RESULT, i, r + i * n, n));
        if (is_power) {
            ck_assert(is_traced(l, MODULAR_OF_BASE, i, u + i * n, n));
            ck_assert(is_traced(l, MODULAR_OF_MODULUS, i, m + i * n, n));
            ck_assert(is_traced(l, MODULAR_OF_EXPONENT, i, v + i, 1));
        }
    }
}

/* ---- comparisons */

static void compare_arithmetic(const struct lanes_program *p, struct lanes_launch *l) {
    for (l->kind = MODULAR_REDUCE; l->kind <= MODULAR_MUL; l->kind++) {
        if (l->kind == MODULAR_REDUCE) {
            l->u_words *= 2;
            fill(u, l->words);
        }
        p->arithmetic(l);
        for (size_t i = 0; i < COUNT; i++)
            expect_arithmetic(l, i);
        expect_traced(l, false);
        if (l->kind == MODULAR_REDUCE) {
            l->u_words = l->words;
            fill(u, l->words / 2);
        }
    }
}

/* With rows = 0 the kernel computes 0 and records the residue 0. The check must not accept these
 * results. */
static void refuse_without_rows(const struct lanes_program *p, struct lanes_launch *l) {
    l->kind = MODULAR_SUB;
    l->rows = 0;
    p->arithmetic(l);
    l->rows = l->rows_of_key;
    for (size_t i = 0; i < COUNT; i++)
        ck_assert(!is_traced(l, MODULAR_OF_RESULT, i, r + i * l->words / 2, l->words / 2));
}

static void compare_powers(void (*power)(const struct lanes_launch *l), struct lanes_launch *l) {
    size_t n = l->words / 2;
    mpz_t x, a, b, w;
    mpz_init(x);
    l->exponent_words = 2;
    l->window = 3;
    v[0] = testing_below(3);
    power(l);
    for (size_t i = 0; i < COUNT; i++) {
        mpz_roinit_n(a, u + i * n, (mp_size_t)n);
        mpz_roinit_n(b, v + i, 1);
        mpz_roinit_n(w, m + i * n, (mp_size_t)n);
        mpz_powm(x, a, b, w);
        expect(i, n, r + i * n, x, l->is_secret ? "secret power" : "power");
    }
    expect_traced(l, true);
    mpz_clear(x);
}

/* The check must accept the constants that are precomputed for a modulus. It must reject them if
 * any bit of the constants or of the modulus is changed. */
static void expect_checked(const struct lanes_program *p, const struct lanes_launch *l) {
    const size_t words = COUNT * MODULAR_KNOWN_WORDS((size_t)l->words);
    uint32_t *const at[] = {(uint32_t *)known, (uint32_t *)kinds, (uint32_t *)m};
    const size_t of[] = {words, 2 * COUNT, COUNT * l->words};
    memset(passed, 0, sizeof passed);
    p->check_known(l);
    ck_assert(passed[0] == COUNT && passed[1] == 0);
    for (int k = 0; k < 3; k++) {
        uint32_t *word = at[k] + testing_below(of[k]), bit = 1u << testing_below(32);
        memset(passed, 0, sizeof passed);
        *word ^= bit;
        p->check_known(l);
        *word ^= bit;
        ck_assert_msg(passed[0] == COUNT - 1 && passed[1] == 1,
                      "%d: a wrong bit of %u words is not found", k, l->words);
    }
}

/* The kernel must recognise an even modulus and a modulus 0, next to odd moduli in the same
 * warp. */
static void expect_kinds(const struct lanes_program *p, const struct lanes_launch *l) {
    static const mp_limb_t right[COUNT] = {MODULAR_IS_ODD, MODULAR_IS_EVEN, MODULAR_IS_ODD,
                                           MODULAR_IS_ZERO, MODULAR_IS_ODD};
    const size_t n = l->words / 2;
    mp_limb_t kept[3 * MOST];
    memcpy(kept, m + n, 3 * n * sizeof *m);
    m[n] = m[n] / 4 * 4 + 2;
    memset(m + 3 * n, 0, n * sizeof *m);
    p->prepare(l);
    ck_assert_mem_eq(kinds, right, sizeof right);
    memset(passed, 0, sizeof passed);
    p->check_known(l);
    ck_assert(passed[0] == COUNT && passed[1] == 0);
    memcpy(m + n, kept, 3 * n * sizeof *m);
}

static void compare(const struct lanes_program *p, uint32_t words) {
    struct lanes_launch l = launch_of(words);
    expect_kinds(p, &l);
    p->prepare(&l);
    expect_known(&l);
    expect_checked(p, &l);
    l.record = testing_below(2) ? record : NULL;
    compare_arithmetic(p, &l);
    if (l.record)
        refuse_without_rows(p, &l);
    for (l.is_secret = 0; l.is_secret < 2 && words <= 64; l.is_secret++)
        for (int by_doubles = 0; by_doubles < 2; by_doubles++)
            compare_powers(by_doubles ? p->power_double : p->power, &l);
}

START_TEST(every_length) {
    const struct lanes_program *p = programs[_i];
    uint32_t least = p->words == MODULAR_LEAST_WORDS ? 2 : p->words / 2 + 2;
    for (int turn = 0; turn < (p->words <= 64 ? 3 : 1); turn++) {
        compare(p, p->words);
        compare(p, least);
        compare(p, least + 2 * (uint32_t)testing_below((p->words - least) / 2));
    }
}
END_TEST

/* ---- faults */

/* Returns true if the recorded residues of a power are right. Tests the same conditions as
 * lib/modular/modular_check.c. */
static bool passes(const struct lanes_launch *l) {
    size_t n = l->words / 2;
    for (size_t i = 0; i < COUNT; i++)
        if (!is_traced(l, MODULAR_OF_RESULT, i, r + i * n, n) ||
            !is_traced(l, MODULAR_OF_BASE, i, u + i * n, n) ||
            !is_traced(l, MODULAR_OF_MODULUS, i, m + i * n, n) ||
            !is_traced(l, MODULAR_OF_EXPONENT, i, v + i, 1) ||
            mpn_cmp(r + i * n, m + i * n, (mp_size_t)n) >= 0)
            return false;
    return true;
}

/* Returns the number of words that one lane (work-item) stores for an entry of a table of
 * powers. */
static uint32_t entry_words(const struct lanes_program *p, bool by_doubles) {
    const uint32_t lanes = (uint32_t)MODULAR_LANES(p->words);
    return by_doubles ? MODULAR_DOUBLE_WORDS(p->words) / lanes + MODULAR_DOUBLE_TRACE_WORDS
                      : p->words / lanes + MODULAR_TRACE_WORDS;
}

/* Returns a random fault of one of three kinds: a wrong bit in an exchange between lanes, at any
 * moment; a wrong bit in a table that is in use, at any moment; or a wrong bit of an operand at an
 * early moment. In the last case the check later reads the right operand. */
static struct lanes_fault random_fault(const struct lanes_program *p, bool by_doubles,
                                       uint64_t exchanges) {
    const uint32_t lanes = (uint32_t)MODULAR_LANES(p->words);
    struct lanes_fault fault = {.bit = (uint32_t)testing_below(32),
                                .lane = (uint32_t)testing_below(lanes)};
    const unsigned long kind = testing_below(lanes > 1 ? 3 : 2);
    if (kind == 0)
        fault.word = (uint32_t *)tables +
                     32 * lanes * testing_below(8 * entry_words(p, by_doubles)) +
                     testing_below(COUNT * lanes);
    if (kind == 1)
        fault.word = (uint32_t *)u + testing_below(p->words);
    fault.at = 1 + testing_below(kind == 1 && exchanges > 20 ? 20 : exchanges);
    return fault;
}

/* Computes powers with one fault. The powers must be right, or the check must reject them. Returns
 * true if it has rejected them. */
static bool fail_once(void (*power)(const struct lanes_launch *l), struct lanes_launch *l,
                      struct lanes_fault fault, const mp_limb_t *right) {
    const size_t limbs = COUNT * (size_t)l->words / 2;
    const uint32_t was = fault.word ? *fault.word : 0;
    const bool is_operand = fault.word >= (uint32_t *)u && fault.word < (uint32_t *)u + l->words;
    memset(r, 0, limbs * sizeof *r);
    memset(record, 0, sizeof record);
    l->fault = &fault;
    power(l);
    if (is_operand)
        *fault.word = was;
    bool is_right = mpn_cmp(r, right, (mp_size_t)limbs) == 0, has_passed = passes(l);
    ck_assert_msg(is_right || !has_passed, "exchange %lu, %u words, bit %u of lane %u%s", fault.at,
                  l->words, fault.bit, fault.lane, fault.word ? ", in memory" : "");
    return !has_passed;
}

/* Fills x with random limbs, without runs of zeros or ones. With numbers like 0 or 1 most faults
 * would have no effect. */
static void fill_at_random(mp_limb_t *xp, size_t n) {
    for (size_t i = 0; i < COUNT * n; i++)
        xp[i] = (mp_limb_t)testing_below(1ul << 32) << 32 | testing_below(1ul << 32);
}

static struct lanes_launch random_launch(uint32_t words) {
    struct lanes_launch l = launch_of(words);
    const size_t n = words / 2;
    fill_at_random(u, n);
    fill_at_random(v, n);
    fill_at_random(m, n);
    for (size_t i = 0; i < COUNT; i++)
        m[i * n] |= 1;
    return l;
}

START_TEST(faults_are_found) {
    const struct lanes_program *p = programs[_i / 2];
    const bool by_doubles = _i % 2;
    void (*const power)(const struct lanes_launch *l) = by_doubles ? p->power_double : p->power;
    struct lanes_launch l = random_launch(p->words);
    struct lanes_fault none = {0};
    const size_t limbs = COUNT * (size_t)p->words / 2;
    /* the check finds about a tenth of the faults; the loop runs at least 40 times, and until one
     * was found, but at most 400 times */
    const int least = 40, most = 400;
    int found = 0, turns = 0;
    mp_limb_t *right = malloc(limbs * sizeof *right);
    ck_assert_ptr_nonnull(right);
    p->prepare(&l);
    l.fault = &none;
    l.record = record;
    l.exponent_words = 2;
    l.window = 3;
    power(&l);
    ck_assert(passes(&l));
    memcpy(right, r, limbs * sizeof *right);
    for (; turns < least || (found == 0 && turns < most); turns++)
        found += fail_once(power, &l, random_fault(p, by_doubles, none.exchanges), right);
    printf("%u words%s: %d of %d found\n", p->words, by_doubles ? " by doubles" : "", found, turns);
    ck_assert_int_gt(found, 0);
    free(right);
}
END_TEST

int main(void) {
    testing_random();
    tables_residue_fill(table, tables_modulus(RESIDUE_MODULUS));
    return testing_main(
        "modular lanes", 120,
        TESTS(LOOP(every_length, PROGRAMS), LOOP(faults_are_found, 2 * (PROGRAMS - 1))));
}
