/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The mpz functions: signs, zeros, every way in which the destination can be an
 * operand, room in the destination or none. */
#include "differential.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum operation { MUL, MUL_UI, MUL_SI, ADD, SUB, ADDMUL, SUBMUL, OPERATIONS };
static const char *const names[OPERATIONS] = {
    "mpz_mul", "mpz_mul_ui", "mpz_mul_si", "mpz_add", "mpz_sub", "mpz_addmul", "mpz_submul",
};

enum alias { APART, W_IS_U, W_IS_V, U_IS_V, ALL_ONE, ALIASES };
static const char *const alias_names[ALIASES] = {"w, u, v", "u, u, v", "v, u, v", "w, u, u",
                                                 "u, u, u"};

struct test {
    enum operation operation;
    enum alias alias;
    mpz_t w, u, v;
    unsigned long word; /* of mul_ui and mul_si */
};

static int takes_word(enum operation operation) {
    return operation == MUL_UI || operation == MUL_SI;
}

static void random_mpz(struct run *run, mpz_ptr x, size_t n) {
    if (run_below(run, 16) == 0) {
        mpz_set_ui(x, 0);
        return;
    }
    run_limbs(run, mpz_limbs_write(x, (mp_size_t)n), n);
    mpz_limbs_finish(x, run_below(run, 2) ? (mp_size_t)n : -(mp_size_t)n);
}

/* Operands whose difference is short, or nothing. */
static void make_close(struct run *run, struct test *t) {
    mpz_set(t->v, t->u);
    if (run_below(run, 2) && mpz_size(t->v))
        mpz_combit(t->v, run_below(run, mpz_size(t->v) * GMP_NUMB_BITS));
    if (run_below(run, 2))
        mpz_neg(t->v, t->v);
}

static unsigned long random_word(struct run *run) {
    static const unsigned long special[] = {0, 1, ~0ul, 1ul << 63, (1ul << 63) - 1, -2ul};
    size_t which = run_below(run, 12);
    return which < sizeof special / sizeof *special ? special[which] : run_bits(run);
}

static void prepare(struct run *run, struct test *t) {
    size_t un, vn;
    run_sizes(run, &un, &vn);
    t->operation = (enum operation)run_below(run, OPERATIONS);
    t->alias = (enum alias)run_below(run, takes_word(t->operation) ? 2 : ALIASES);
    t->word = random_word(run);
    mpz_inits(t->w, t->u, t->v, NULL);
    random_mpz(run, t->u, un);
    random_mpz(run, t->v, vn);
    if (run_below(run, 2))
        mpz_swap(t->u, t->v);
    if (run_below(run, 4) == 0)
        make_close(run, t);
    if (run_below(run, 4))
        random_mpz(run, t->w, 1 + run_below(run, 2 * (un + vn)));
}

/* w for the test's functions, given its numbers under their names. */
static void apply(const struct test *t, mpz_ptr w, mpz_srcptr u, mpz_srcptr v,
                  const struct reference *f) {
    switch (t->operation) {
    case MUL:
        f->mpz_mul(w, u, v);
        break;
    case MUL_UI:
        f->mpz_mul_ui(w, u, t->word);
        break;
    case MUL_SI:
        f->mpz_mul_si(w, u, (long)t->word);
        break;
    case ADD:
        f->mpz_add(w, u, v);
        break;
    case SUB:
        f->mpz_sub(w, u, v);
        break;
    case ADDMUL:
        f->mpz_addmul(w, u, v);
        break;
    default:
        f->mpz_submul(w, u, v);
    }
}

/* The functions that the program is linked with: the intercepted ones. */
static const struct reference intercepted = {
#define FUNCTION(symbol, type, parameters) .symbol = symbol,
#include "compat/functions.def"
#undef FUNCTION
};

/* Whether a device has something to do: no operand and no sum is 0. */
static int is_eligible(const struct test *t, mpz_srcptr u, mpz_srcptr v, mpz_srcptr wanted) {
    if (!mpz_sgn(u) || (takes_word(t->operation) ? !t->word : !mpz_sgn(v)))
        return 0;
    return (t->operation != ADD && t->operation != SUB) || mpz_sgn(wanted);
}

static int same(mpz_srcptr a, mpz_srcptr b) {
    return a->_mp_size == b->_mp_size &&
           memcmp(a->_mp_d, b->_mp_d, mpz_size(a) * sizeof(mp_limb_t)) == 0;
}

/* Limbs of w in memory that GMP's allocation functions do not know, as those of
 * GMP's temporaries on the stack, with room for every result; and back again. */
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

static int give_back(const struct lent *l, mpz_ptr w) {
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
    apply(t, wanted, t->u, v, gmp); /* wanted = f(w, u, v), w's old value being its own */
    run->eligible += is_eligible(t, u, v, wanted) != 0;
    struct lent lent = {0};
    int is_lent = run_below(run, 4) == 0;
    if (is_lent)
        lend(&lent, w, mpz_size(u) + mpz_size(v) + mpz_size(w) + 2);
    apply(t, w, u, v, &intercepted);
    int good = same(w, wanted) && (size_t)w->_mp_alloc >= mpz_size(w) &&
               (w == t->u || same(t->u, u_copy)) && (w == t->v || same(t->v, v_copy));
    if (is_lent && !give_back(&lent, w))
        good = 0;
    if (!good)
        fprintf(stderr, "differential: %s(%s), %zu and %zu limbs: wrong\n", names[t->operation],
                alias_names[t->alias], mpz_size(u_copy), mpz_size(v_copy));
    gmp->mpz_clear_(wanted);
    mpz_clears(u_copy, v_copy, NULL);
    return good;
}

int differential_mpz(struct run *run) {
    struct test t;
    prepare(run, &t);
    int good = run_test(run, &t);
    mpz_clears(t.w, t.u, t.v, NULL);
    return good;
}
