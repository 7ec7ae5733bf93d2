/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests jobs on device memory and Mandelbrot views, which other processes may send: each job with a
 * wrong length, index or address must be refused. Also runs a program of operations on numbers by
 * the library's code for the host, and compares it with GMP. */
#include <string.h>

#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/job/numbers.h"
#include "lib/modular/euclid.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/trees/tree_plan.h"
#include "tests/support/composite_cases.h"
#include "tests/support/testing.h"

/* ---- trees */

enum { LEAVES = 5, LEAF_LIMBS = 2, SLOTS = 6, LEVELS = 3 };

static uint64_t somewhere[1000]; /* used for addresses only; its content does not matter */

static struct job_ref on_host(uint64_t count, uint64_t n) {
    return (struct job_ref){.host = somewhere, .count = count, .n = n};
}

/* Sets *tree to a product tree in device memory. Returns the limbs of its root. */
static uint64_t place_tree(struct job_ref *tree) {
    struct tree_plan *plan = tree_plan_create(LEAVES, 2 * LEAF_LIMBS);
    *tree = (struct job_ref){.mem = {1}, .count = 1, .n = plan->words / 2};
    const uint64_t limbs = tree_root(plan, tree->mem).words / 2;
    tree_plan_free(plan);
    return limbs;
}

static struct job tree_job(enum job_op op) {
    struct job j = {.op = op,
                    .operands = 1,
                    .results = 1,
                    .parameter = {[JOB_LEAVES] = LEAVES, [JOB_LEAF_LIMBS] = LEAF_LIMBS}};
    const uint64_t root = place_tree(&j.u[JOB_TREE]);
    if (op == JOB_tree_root)
        j.r[0] = on_host(1, root);
    if (op == JOB_tree_build) {
        j.results = 2;
        j.r[JOB_TREE] = j.u[JOB_TREE];
        j.u[0] = on_host(SLOTS, LEAF_LIMBS);
        j.parameter[JOB_FROM] = 2;
        j.r[JOB_TOP] = on_host(1, root - 2);
    }
    if (op == JOB_tree_remainders) {
        j.operands = 4;
        j.u[JOB_SCALE] = on_host(1, 2);
        j.u[JOB_DIVIDEND] = on_host(1, 7);
        j.parameter[JOB_DIVIDEND_BITS] = 400;
        j.parameter[JOB_ROOT_BITS] = 64 * root;
        j.u[JOB_FIRST_OF_TREE] = on_host(1, job_tree_first_limbs(&j, 2 * root));
        j.r[0] = on_host(LEAVES, LEAF_LIMBS);
    }
    return j;
}

static struct job split_job(void) {
    const uint64_t nodes = 1 << LEVELS;
    return (struct job){
        .op = JOB_tree_split,
        .operands = 3,
        .results = 3,
        .parameter = {[JOB_LEVELS] = LEVELS},
        .u = {on_host(3 * nodes, 2), on_host(1, (3 * nodes + 1) / 2), on_host(nodes, 3)},
        .r = {on_host(1, 4), on_host(1, 4), on_host(1, 4)}};
}

static void refuse(const struct job *j, const char *what, unsigned k) {
    ck_assert_msg(!job_fits(j), "operation %d fits with %s %u", (int)j->op, what, k);
}

/* Changes the count, the length and the address of x, one after the other; each changed job must be
 * refused. If `has_free_length` is true, x may have any length. */
static void refuse_changes(const struct job *right, struct job *j, struct job_ref *x, unsigned k,
                           bool has_free_length) {
    x->count++;
    refuse(j, "another count of", k);
    *j = *right;
    x->n += !has_free_length;
    if (!has_free_length)
        refuse(j, "another length of", k);
    *j = *right;
    x->n = UINT64_MAX / 2;
    refuse(j, "an impossible length of", k);
    *j = *right;
    x->mem.h = x->mem.h ? 0 : 1;
    x->host = x->host ? NULL : somewhere;
    refuse(j, "another place of", k);
    *j = *right;
}

START_TEST(trees_are_refused) {
    static const unsigned bounded[][4] = {
        {JOB_tree_build, JOB_LEAVES, JOB_LEAF_LIMBS, JOB_FROM},
        {JOB_tree_root, JOB_LEAVES, JOB_LEAF_LIMBS, JOB_LEAVES},
        {JOB_tree_remainders, JOB_LEAF_LIMBS, JOB_ROOT_BITS, JOB_DIVIDEND_BITS},
        {JOB_tree_split, JOB_LEVELS, JOB_LEVELS, JOB_LEVELS}};
    const unsigned *one = bounded[_i];
    const enum job_op op = (enum job_op)one[0];
    const struct job right = op == JOB_tree_split ? split_job() : tree_job(op);
    struct job j = right;
    ck_assert_msg(job_fits(&j), "operation %d does not fit", (int)op);
    for (unsigned k = 0; k < right.operands; k++)
        refuse_changes(&right, &j, &j.u[k], k, false);
    for (unsigned k = 0; k < right.results; k++)
        refuse_changes(&right, &j, &j.r[k], k, op == JOB_tree_split);
    for (unsigned k = 1; k < 4; k++) {
        static const uint64_t bad[] = {0, UINT64_MAX, UINT64_MAX / 2, (uint64_t)1 << 40};
        for (unsigned i = 0; i < 4; i++) {
            j.parameter[one[k]] = bad[i];
            refuse(&j, "a bad parameter", one[k]);
            j = right;
        }
    }
    j.operands--;
    if (op != JOB_tree_remainders) /* without its dividend, JOB_tree_remainders would be a valid
                                      request for cofactors */
        refuse(&j, "one operand less than", right.operands);
    j = right;
    j.results--;
    refuse(&j, "one result less than", right.results);
}
END_TEST

/* ---- jobs that allocate, fill and free device memory */

static struct job store_job(enum job_op op) {
    const struct job_ref memory = {.mem = {1}, .count = 1, .n = 12}, content = on_host(1, 7);
    struct job j = {.op = op, .parameter = {[JOB_AT] = 5}};
    if (op == JOB_store_alloc)
        return j;
    j.operands = 1;
    j.results = op != JOB_store_free;
    j.u[0] = op == JOB_store_fill ? content : memory;
    j.r[0] = op == JOB_store_fill ? memory : content;
    if (op == JOB_store_free || op == JOB_store_copy)
        j.parameter[JOB_AT] = 0;
    if (op == JOB_store_copy) {
        j.r[0] = memory;
        j.r[0].mem.h = 2;
    }
    return j;
}

START_TEST(stores_are_refused) {
    static const uint64_t bad[] = {4, 6, 12, UINT64_MAX / 2, UINT64_MAX};
    const enum job_op op = (enum job_op)(JOB_FIRST_STORE + _i);
    const struct job right = store_job(op);
    struct job j = right;
    ck_assert_msg(job_fits(&j), "operation %d does not fit", (int)op);
    ck_assert_msg(!job_crosses(&j), "another member would allocate or free");
    for (unsigned k = 0; k < right.operands; k++)
        refuse_changes(&right, &j, &j.u[k], k, op == JOB_store_free);
    for (unsigned k = 0; k < right.results; k++)
        refuse_changes(&right, &j, &j.r[k], k, false);
    for (unsigned i = op == JOB_store_alloc ? 3 : 0; i < 5; i++) {
        j.parameter[JOB_AT] = bad[i];
        refuse(&j, "a bad parameter", i);
        j = right;
    }
    j.operands++;
    j.u[right.operands] = on_host(1, 7);
    refuse(&j, "one operand more than", right.operands);
    j = right;
    j.results++;
    refuse(&j, "one result more than", right.results);
    j = right;
    j.parameter[JOB_IS_SHARED] = 1;
    ck_assert(job_fits(&j));
    j.parameter[JOB_IS_SHARED] = 2;
    ck_assert(job_fits(&j) == (op != JOB_store_alloc));
    j = right;
    j.r[0].mem = j.u[0].mem;
    ck_assert(!job_fits(&j) || op != JOB_store_copy); /* to itself */
    if (op == JOB_store_alloc)
        return;
    j = right;
    j.operands--;
    ck_assert(job_fits(&j) == (op == JOB_store_fill)); /* with zeros */
    j.operands++;
    j.results = 1 - j.results;
    refuse(&j, "another number of results than", right.results);
}
END_TEST

/* ---- jobs that search batches for zeros, and views of the Mandelbrot set */

START_TEST(looks_are_refused) {
    const struct job right = {
        .op = JOB_batch_look, .operands = 1, .u = {{.mem = {1}, .count = 7, .n = 3}}};
    static const uint64_t bad[] = {0, (uint64_t)1 << 32, UINT64_MAX / 2, UINT64_MAX};
    struct job j = right;
    ck_assert(job_fits(&j));
    for (unsigned i = 0; i < 4; i++) {
        j.u[0].count = bad[i];
        refuse(&j, "a bad count", i);
        j = right;
        j.u[0].n = bad[i];
        refuse(&j, "a bad length", i);
        j = right;
    }
    j.u[0].n = EUCLID_MOST_WORDS / 2 + 1;
    refuse(&j, "too long a length", 0);
    j = right;
    j.u[0].host = somewhere;
    refuse(&j, "another place", 0);
    j = right;
    j.u[0].mem.h = 0;
    refuse(&j, "no place", 0);
    j = right;
    j.u[0].is_text = true;
    refuse(&j, "a text", 0);
    j = right;
    j.results = 1;
    refuse(&j, "a result", 0);
    j = right;
    j.operands = 2;
    j.u[1] = j.u[0];
    refuse(&j, "two operands", 0);
}
END_TEST

START_TEST(views_are_refused) {
    static const unsigned bad_words[] = {1, 2, 3, 5, 7, 9, 10, 16, UINT_MAX};
    static struct mandelbrot_view v;
    const struct mandelbrot_view right_view = {.words = 4, .width = 5, .rows = 3};
    const struct job right = {.op = JOB_mandelbrot,
                              .operands = 1,
                              .results = 2,
                              .u = {job_limbs((const uint64_t *)&v, MANDELBROT_LIMBS)},
                              .r = {job_text(somewhere, 60), job_text(somewhere + 8, 60)}};
    struct job j = right;
    v = right_view;
    ck_assert(job_fits(&j));
    refuse_changes(&right, &j, &j.u[0], 0, false);
    for (unsigned k = 0; k < 2; k++) {
        refuse_changes(&right, &j, &j.r[k], k, false);
        j.r[k].is_text = false;
        refuse(&j, "limbs instead of bytes of", k);
        j = right;
        j.r[k].count = 0;
        refuse(&j, "no result", k);
        j = right;
    }
    for (unsigned i = 0; i < sizeof bad_words / sizeof *bad_words; i++) {
        v.words = bad_words[i];
        refuse(&j, "words", v.words);
    }
    for (unsigned i = 0; i < 32; i++) {
        v = right_view;
        v.width ^= (uint32_t)1 << i;
        refuse(&j, "another width by bit", i);
        v = right_view;
        v.rows ^= (uint32_t)1 << i;
        refuse(&j, "other rows by bit", i);
    }
    j.r[0].count = j.r[1].count = 0;
    v.width = v.rows = (uint32_t)1 << 31; /* the size of the results in bytes overflows to 0 */
    refuse(&j, "2^62 pixels and no results", 0);
    v.rows = 0;
    ck_assert(job_fits(&j));
}
END_TEST

/* ---- numbers */

enum { VARIABLES = 12, STEPS = 8, U = 0, V = 1, D = 2, D_BITS = 250 };

struct program {
    struct job job;
    struct number_step step[STEPS];
    struct number_variable variable[VARIABLES];
    struct number_divisor divisor[2];
    mp_limb_t first[2 * FIRST_RECIPROCAL_LIMBS];
    mp_limb_t limbs[VARIABLES][8];
};

static struct number_step step_of(enum number_kind kind, uint64_t r, uint64_t u, uint64_t v) {
    return (struct number_step){
        .kind = kind, .r = r, .q = NUMBER_NONE, .u = u, .v = v, .shift = 70, .bits = 200};
}

static void set_divisor(struct program *p, unsigned i, uint64_t quads) {
    struct number_divisor *d = &p->divisor[i];
    *d = (struct number_divisor){
        .variable = D, .bits = D_BITS, .quads = quads, .first = i * FIRST_RECIPROCAL_LIMBS};
    const uint64_t f = calc_reciprocal_first(numbers_divisor(D_BITS, quads).k);
    first_reciprocal(p->first + d->first, f, p->limbs[D], (D_BITS + 63) / 64, 0);
}

/* Makes a program of operations on numbers, with one step of each kind. Its operands are u of 8
 * words, v of 4 words, and d of D_BITS bits. */
static void make(struct program *p) {
    static const uint64_t words[VARIABLES] = {8, 4, 8, 8, 12, 12, 12, 8, 8, 8, 8, 8};
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < VARIABLES; i++)
        p->variable[i] = (struct number_variable){
            .words = words[i], .host = p->limbs[i], .flags = i <= D ? NUMBER_IS_KNOWN : 0};
    for (unsigned i = U; i <= D; i++)
        testing_limbs(p->limbs[i], words[i] / 2);
    p->limbs[U][3] >>= 2;
    p->limbs[D][3] = p->limbs[D][3] >> 6 | (mp_limb_t)1 << (D_BITS - 193);
    p->step[0] = step_of(NUMBER_ADD, 3, V, U);
    p->step[1] = step_of(NUMBER_SUB, 4, V, U);
    p->step[2] = step_of(NUMBER_MUL, 5, U, V);
    p->step[3] = step_of(NUMBER_UP, 6, U, NUMBER_NONE);
    p->step[4] = step_of(NUMBER_DOWN, 7, U, NUMBER_NONE);
    p->step[5] = step_of(NUMBER_QUOTIENT, 8, 5, NUMBER_NONE);
    p->step[5].q = 9;
    p->step[5].bits = 384;
    p->step[6] = step_of(NUMBER_PRODUCT, 10, U, V);
    p->step[6].bits = 384;
    p->step[6].divisor = 1;
    p->step[7] = step_of(NUMBER_REST, 11, 5, NUMBER_NONE);
    p->step[7].bits = 384;
    p->step[7].divisor = 1;
    set_divisor(p, 0, 2);
    set_divisor(p, 1, 0);
    p->job = (struct job){
        .op = JOB_numbers,
        .operands = 4,
        .u = {{.host = (uint64_t *)p->step, .count = STEPS, .n = NUMBER_STEP_LIMBS},
              {.host = (uint64_t *)p->variable, .count = VARIABLES, .n = NUMBER_VARIABLE_LIMBS},
              {.host = (uint64_t *)p->divisor, .count = 2, .n = NUMBER_DIVISOR_LIMBS},
              job_limbs(p->first, 2 * FIRST_RECIPROCAL_LIMBS)}};
}

static void expect(const struct program *p, unsigned i, const mpz_t right) {
    const size_t n = normalize(p->limbs[i], p->variable[i].words / 2);
    const mpz_t got = MPZ_ROINIT_N((mp_limb_t *)p->limbs[i], (mp_size_t)n);
    ck_assert_msg(mpz_cmp(got, right) == 0, "place %u is wrong", i);
}

START_TEST(programs_on_the_host) {
    static struct program p;
    mpz_t u, v, d, x, y;
    mpz_inits(u, v, d, x, y, NULL);
    make(&p);
    mpz_import(u, 4, -1, 8, 0, 0, p.limbs[U]);
    mpz_import(v, 2, -1, 8, 0, 0, p.limbs[V]);
    mpz_import(d, 4, -1, 8, 0, 0, p.limbs[D]);
    ck_assert(job_fits(&p.job));
    ck_assert(composite_case_run_numbers(&p.job));
    mpz_add(x, u, v);
    expect(&p, 3, x);
    mpz_setbit(y, 256);
    mpz_add(y, y, v);
    mpz_sub(y, y, u);
    expect(&p, 4, y);
    mpz_mul(x, u, v);
    expect(&p, 5, x);
    mpz_mul_2exp(y, u, 70);
    expect(&p, 6, y);
    mpz_tdiv_q_2exp(y, u, 70);
    expect(&p, 7, y);
    mpz_tdiv_qr(x, y, x, d);
    expect(&p, 8, y);
    expect(&p, 9, x);
    expect(&p, 10, y);
    expect(&p, 11, y);
    mpz_clears(u, v, d, x, y, NULL);
}
END_TEST

/* Changes that make a program invalid: `at` is the offset of a word in struct program, `bad` are
 * values of this word that must be refused. */
#define FIELD(table, i, name) offsetof(struct program, table[i].name)
static const struct change {
    size_t at;
    uint64_t bad[3];
} changes[] = {{FIELD(step, 0, kind), {NUMBER_KNOWN, NUMBER_PRODUCT + 1, UINT64_MAX}},
               {FIELD(step, 0, r), {NUMBER_NONE, VARIABLES, U}},
               {FIELD(step, 1, r), {3, UINT64_MAX - 1, D}},
               {FIELD(step, 0, q), {4, VARIABLES, U}},
               {FIELD(step, 0, u), {NUMBER_NONE, VARIABLES, 4}},
               {FIELD(step, 0, v), {NUMBER_NONE, VARIABLES, 3}},
               {FIELD(step, 3, v), {U, VARIABLES, 3}},
               {FIELD(step, 3, shift), {32 * 12, UINT64_MAX, (uint64_t)1 << 40}},
               {FIELD(step, 4, shift), {32 * 8, UINT64_MAX, (uint64_t)1 << 40}},
               {FIELD(step, 5, r), {9, VARIABLES, U}},
               {FIELD(step, 5, q), {8, VARIABLES, U}},
               {FIELD(step, 5, bits), {385, UINT64_MAX, (uint64_t)1 << 40}},
               {FIELD(step, 5, divisor), {2, UINT64_MAX, NUMBER_NONE}},
               {FIELD(step, 6, divisor), {2, UINT64_MAX, NUMBER_NONE}},
               {FIELD(step, 6, bits), {385, UINT64_MAX, (uint64_t)1 << 40}},
               {FIELD(step, 7, r), {10, VARIABLES, NUMBER_NONE}},
               {FIELD(step, 7, q), {10, VARIABLES, U}},
               {FIELD(step, 7, divisor), {2, UINT64_MAX, NUMBER_NONE}},
               {FIELD(variable, U, words), {0, 6, (uint64_t)1 << 37}},
               {FIELD(variable, U, flags), {0, 4, UINT64_MAX}},
               {FIELD(variable, U, mem), {1, 2, UINT64_MAX}},
               {FIELD(variable, U, host), {0, 0, 0}},
               {FIELD(variable, 3, words), {4, 10, UINT64_MAX - 3}},
               {FIELD(variable, 3, flags), {NUMBER_IS_KNOWN, NUMBER_HAS_RESIDUE, 4}},
               {FIELD(variable, 4, words), {8, 11, UINT64_MAX - 3}},
               {FIELD(variable, 6, words), {4, 0, UINT64_MAX - 3}},
               {FIELD(variable, 7, words), {12, 0, UINT64_MAX - 3}},
               {FIELD(variable, 8, words), {4, 12, 0}},
               {FIELD(variable, 9, words), {0, 2, 3}},
               {FIELD(variable, 10, words), {4, 12, 0}},
               {FIELD(variable, 11, words), {4, 12, 0}},
               {FIELD(variable, D, words), {4, 12, 16}},
               {FIELD(divisor, 0, variable), {VARIABLES, 10, UINT64_MAX}},
               {FIELD(divisor, 0, bits), {0, 257, UINT64_MAX}},
               {FIELD(divisor, 1, bits), {128, 257, UINT64_MAX}},
               {FIELD(divisor, 0, quads), {UINT64_MAX, (uint64_t)1 << 40, UINT64_MAX / 2}},
               {FIELD(divisor, 0, is_there), {1, 2, UINT64_MAX}},
               {FIELD(divisor, 1, first),
                {2 * FIRST_RECIPROCAL_LIMBS, 2 * FIRST_RECIPROCAL_LIMBS + 1, UINT64_MAX}}};

START_TEST(programs_are_refused) {
    static struct program p;
    make(&p);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (unsigned k = 0; k < 3; k++) {
            uint64_t *word = (uint64_t *)((char *)&p + changes[i].at), before = *word;
            ck_assert(job_fits(&p.job));
            *word = changes[i].bad[k];
            ck_assert_msg(!job_fits(&p.job), "fits after change %zu to value %u", i, k);
            *word = before;
        }
}
END_TEST

/* A program must be refused if two of its variables or divisors share memory, or if a table has a
 * wrong length. */
START_TEST(shared_memory_is_refused) {
    static struct program p;
    make(&p);
    p.variable[4].host = p.limbs[3] + 1;
    ck_assert(!job_fits(&p.job));
    p.variable[4].host = p.limbs[U];
    ck_assert(!job_fits(&p.job));
    p.variable[4].host = p.limbs[4];
    p.variable[3].mem.h = 5;
    ck_assert(job_fits(&p.job));
    p.variable[4].mem.h = 5;
    ck_assert(!job_fits(&p.job));
    p.variable[4].mem.h = 0;
    p.divisor[0].mem.h = 5;
    ck_assert(!job_fits(&p.job));
    p.divisor[0].mem.h = 6;
    ck_assert(job_fits(&p.job));
    p.divisor[1].mem.h = 6;
    ck_assert(!job_fits(&p.job));
    for (unsigned k = 0; k < 4; k++) {
        make(&p);
        p.job.u[k].n = k == NUMBERS_FIRSTS ? FIRST_RECIPROCAL_LIMBS : p.job.u[k].n - 1;
        refuse(&p.job, "another length of", k);
        make(&p);
        p.job.u[k].count = k == NUMBERS_FIRSTS ? 2 : NUMBERS_MOST_VARIABLES + 1;
        refuse(&p.job, "another count of", k);
        make(&p);
        p.job.operands = k;
        refuse(&p.job, "operands", k);
    }
}
END_TEST

int main(void) {
    real_resolve();
    Suite *suite = suite_create("jobs on a device");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, trees_are_refused, 0, 4);
    tcase_add_loop_test(tests, stores_are_refused, 0, JOB_OPS - JOB_FIRST_STORE);
    tcase_add_test(tests, looks_are_refused);
    tcase_add_test(tests, views_are_refused);
    tcase_add_test(tests, programs_on_the_host);
    tcase_add_test(tests, programs_are_refused);
    tcase_add_test(tests, shared_memory_is_refused);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
