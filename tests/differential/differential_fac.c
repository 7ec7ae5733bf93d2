/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factorials, primorials and binomials: small arguments one by one, larger ones at random;
 * binomials with either part short, n a word, a number, or negative. */
#include "tests/differential/differential.h"

/* Results of so many limbs have products that a device could do. */
enum { LEAST = 80 };

struct operands {
    mpz_t n; /* of mpz_bin_ui, perhaps the result as well */
    unsigned long a, b;
};

struct function {
    const char *name;
    void (*make)(struct run *run, struct operands *o);
    void (*apply)(const struct reference *f, mpz_ptr r, const struct operands *o);
};

static void make_word(struct run *run, struct operands *o) {
    o->a = run_below(run, run->most * 12) >> run_below(run, 12);
    o->b = run_below(run, 9);
}

/* Results of a few hundred limbs at most. */
static void make_binomial(struct run *run, struct operands *o) {
    o->b = run_below(run, run->most * 6) >> run_below(run, 10);
    switch (run_below(run, 4)) {
    case 0:
        o->a = run_below(run, o->b + 2);
        break;
    case 1:
        o->a = o->b + run_below(run, 4 * o->b + 2);
        break;
    case 2:
        o->a = o->b + (run_below(run, 1000) * o->b);
        break;
    default:
        o->a = run_bits(run) >> run_below(run, 60);
        o->b = run_below(run, run->most);
    }
    if (run_below(run, 2) && o->b <= o->a && o->a < (unsigned long)-1 / 2)
        o->b = o->a - o->b;
    if (o->b > run->most * 30)
        o->b %= run->most;
}

static void make_number(struct run *run, struct operands *o) {
    make_binomial(run, o);
    if (run_below(run, 2)) {
        run_mpz(run, o->n, 1 + run_below(run, 4));
        o->b %= run->most;
    } else {
        mpz_set_ui(o->n, o->a);
        if (run_below(run, 3) == 0)
            o->n->_mp_size = -o->n->_mp_size;
    }
}

static void fac(const struct reference *f, mpz_ptr r, const struct operands *o) {
    f->mpz_fac_ui(r, o->a);
}

static void fac2(const struct reference *f, mpz_ptr r, const struct operands *o) {
    f->mpz_2fac_ui(r, o->a);
}

/* GMP's own does not end for m = 0. */
static void mfac(const struct reference *f, mpz_ptr r, const struct operands *o) {
    f->mpz_mfac_uiui(r, o->a, 1 + o->b);
}

static void primorial(const struct reference *f, mpz_ptr r, const struct operands *o) {
    f->mpz_primorial_ui(r, 4 * o->a);
}

static void bin_words(const struct reference *f, mpz_ptr r, const struct operands *o) {
    f->mpz_bin_uiui(r, o->a, o->b);
}

static void bin(const struct reference *f, mpz_ptr r, const struct operands *o) {
    f->mpz_bin_ui(r, o->n, o->b);
}

static int run_case(struct run *run, const void *how) {
    const struct function *f = how;
    struct operands o = {.a = 0};
    mpz_t own, wanted;
    mpz_inits(o.n, own, NULL);
    run->reference->mpz_init_(wanted);
    f->make(run, &o);
    mpz_ptr r = run_below(run, 2) ? own : o.n;
    f->apply(run->reference, wanted, &o);
    run->eligible += mpz_size(wanted) >= LEAST;
    f->apply(&intercepted, r, &o);
    int good = same_mpz(r, wanted);
    if (!good)
        fprintf(stderr, "differential: %s(%lu, %lu): wrong\n", f->name, o.a, o.b);
    run->reference->mpz_clear_(wanted);
    mpz_clears(o.n, own, NULL);
    return good;
}

static const struct function fac_ui = {"mpz_fac_ui", make_word, fac},
                             fac2_ui = {"mpz_2fac_ui", make_word, fac2},
                             mfac_uiui = {"mpz_mfac_uiui", make_word, mfac},
                             primorial_ui = {"mpz_primorial_ui", make_word, primorial},
                             bin_uiui = {"mpz_bin_uiui", make_binomial, bin_words},
                             bin_ui = {"mpz_bin_ui", make_number, bin};

const struct differential_case differential_fac[] = {
    {"mpz_fac_ui", run_case, &fac_ui},
    {"mpz_2fac_ui", run_case, &fac2_ui},
    {"mpz_mfac_uiui", run_case, &mfac_uiui},
    {"mpz_primorial_ui", run_case, &primorial_ui},
    {"mpz_bin_uiui", run_case, &bin_uiui},
    {"mpz_bin_ui", run_case, &bin_ui},
    {NULL, NULL, NULL},
};
