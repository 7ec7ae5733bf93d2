/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests mpz functions: signs, zeros, every overlap of destination and operands, and destinations
 * with or without sufficient limbs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* How an mpz function is called. takes_word: the second operand is a word. is_sum: the device does
 * not compute the call if the result is 0. */
struct operation {
    const char *name;
    void (*apply)(const struct reference *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v,
                  unsigned long word);
    int takes_word, is_sum;
};

#define OPERATIONS(OP)                                                                             \
    OP(mpz_mul, (w, u, v), 0, 0)                                                                   \
    OP(mpz_mul_ui, (w, u, word), 1, 0)                                                             \
    OP(mpz_mul_si, (w, u, (long)word), 1, 0)                                                       \
    OP(mpz_add, (w, u, v), 0, 1)                                                                   \
    OP(mpz_add_ui, (w, u, word), 1, 1)                                                             \
    OP(mpz_sub, (w, u, v), 0, 1)                                                                   \
    OP(mpz_sub_ui, (w, u, word), 1, 1)                                                             \
    OP(mpz_ui_sub, (w, word, u), 1, 1)                                                             \
    OP(mpz_addmul, (w, u, v), 0, 0)                                                                \
    OP(mpz_addmul_ui, (w, u, word), 1, 0)                                                          \
    OP(mpz_submul, (w, u, v), 0, 0)                                                                \
    OP(mpz_submul_ui, (w, u, word), 1, 0)

#define APPLY(function, arguments, takes_word, is_sum)                                             \
    static void apply_##function(const struct reference *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v, \
                                 unsigned long word) {                                             \
        (void)v;                                                                                   \
        (void)word;                                                                                \
        f->function arguments;                                                                     \
    }
OPERATIONS(APPLY)

enum alias { APART, W_IS_U, W_IS_V, U_IS_V, ALL_ONE, ALIASES };
static const char *const alias_names[ALIASES] = {"w, u, v", "u, u, v", "v, u, v", "w, u, u",
                                                 "u, u, u"};

struct test {
    const struct operation *operation;
    enum alias alias;
    mpz_t w, u, v;
    unsigned long word;
};

/* Sets operands whose sum or difference is short or 0. */
static void make_close(struct run *run, struct test *t) {
    if (t->operation->takes_word)
        mpz_set_ui(t->u, t->word);
    mpz_set(t->v, t->u);
    if (run_below(run, 2) && mpz_size(t->v))
        mpz_combit(t->v, run_below(run, mpz_size(t->v) * GMP_NUMB_BITS));
    if (run_below(run, 2))
        mpz_neg(t->v, t->v);
    if (t->operation->takes_word)
        mpz_swap(t->u, t->v);
}

static unsigned long random_word(struct run *run) {
    static const unsigned long special[] = {0, 1, ~0ul, 1ul << 63, (1ul << 63) - 1, -2ul};
    size_t which = run_below(run, 12);
    return which < sizeof special / sizeof *special ? special[which] : run_bits(run);
}

static void prepare(struct run *run, struct test *t) {
    size_t un, vn;
    run_sizes(run, &un, &vn);
    t->alias = (enum alias)run_below(run, t->operation->takes_word ? 2 : ALIASES);
    t->word = random_word(run);
    mpz_inits(t->w, t->u, t->v, NULL);
    run_mpz(run, t->u, un);
    run_mpz(run, t->v, vn);
    if (run_below(run, 2))
        mpz_swap(t->u, t->v);
    if (run_below(run, 4) == 0)
        make_close(run, t);
    if (run_below(run, 4))
        run_mpz(run, t->w, 1 + run_below(run, 2 * (un + vn)));
}

/* Returns true if the device computes the operation: no operand is 0, and the result of a sum or
 * difference is not 0. */
static int is_eligible(const struct test *t, mpz_srcptr u, mpz_srcptr v, mpz_srcptr wanted) {
    if (!mpz_sgn(u) || (t->operation->takes_word ? !t->word : !mpz_sgn(v)))
        return 0;
    return !t->operation->is_sum || mpz_sgn(wanted);
}

/* lend() moves the limbs of w to memory that GMP's memory functions have not allocated, such as
 * GMP's own temporary numbers on the stack. copy_back() gives w its own memory again, with the
 * value 0. It returns true if w's limbs were still in the memory of lend(). */
struct lent {
    mp_ptr own, borrowed;
    int alloc;
};

static void lend(struct lent *l, mpz_ptr w, size_t room) {
    l->own = w->_mp_d;
    l->alloc = w->_mp_alloc;
    l->borrowed = malloc((room + 1) * sizeof(mp_limb_t));
    memcpy(l->borrowed + 1, w->_mp_d, mpz_size(w) * sizeof(mp_limb_t));
    w->_mp_d = l->borrowed + 1;
    w->_mp_alloc = (int)room;
}

static int copy_back(const struct lent *l, mpz_ptr w) {
    int kept = w->_mp_d == l->borrowed + 1;
    w->_mp_d = l->own;
    w->_mp_alloc = l->alloc;
    w->_mp_size = 0;
    free(l->borrowed);
    return kept;
}

static int run_test(struct run *run, struct test *t) {
    const struct reference *gmp = run->reference;
    mpz_t wanted, u_copy, v_copy;
    mpz_ptr w = t->alias == APART || t->alias == U_IS_V ? t->w : t->alias == W_IS_V ? t->v : t->u;
    mpz_srcptr u = t->u, v = t->alias == U_IS_V || t->alias == ALL_ONE ? t->u : t->v;
    mpz_init_set(u_copy, t->u);
    mpz_init_set(v_copy, t->v);
    gmp->mpz_init_(wanted);
    gmp->mpz_set_(wanted, w);
    /* `wanted` begins with w's old value, because mpz_addmul and mpz_submul add to that value */
    t->operation->apply(gmp, wanted, u, v, t->word);
    run->eligible += is_eligible(t, u, v, wanted) != 0;
    struct lent lent = {0};
    int is_lent = run_below(run, 4) == 0;
    if (is_lent)
        lend(&lent, w, mpz_size(u) + mpz_size(v) + mpz_size(w) + 2);
    t->operation->apply(&intercepted, w, u, v, t->word);
    int good = same_mpz(w, wanted) && (size_t)w->_mp_alloc >= mpz_size(w) &&
               (w == t->u || same_mpz(t->u, u_copy)) && (w == t->v || same_mpz(t->v, v_copy));
    if (is_lent && !copy_back(&lent, w))
        good = 0;
    if (!good)
        fprintf(stderr, "differential: %s(%s), %zu and %zu limbs: wrong\n", t->operation->name,
                alias_names[t->alias], mpz_size(u_copy), mpz_size(v_copy));
    gmp->mpz_clear_(wanted);
    mpz_clears(u_copy, v_copy, NULL);
    return good;
}

static int run_case(struct run *run, const void *how) {
    struct test t = {.operation = how};
    prepare(run, &t);
    int good = run_test(run, &t);
    mpz_clears(t.w, t.u, t.v, NULL);
    return good;
}

#define CASE(function, arguments, takes_word, is_sum)                                              \
    {#function, run_case,                                                                          \
     &(const struct operation){#function, apply_##function, takes_word, is_sum}},
const struct differential_case differential_mpz[] = {OPERATIONS(CASE){NULL, NULL, NULL}};
