/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a test of a function of mpz_t and words. */
#include "tests/differential/differential_numbers.h"

#include <stdio.h>

/* Chooses a variable for each result: its own variable, an operand that no other result uses, or
 * NULL if the call permits it. */
static void choose_places(struct run *run, const struct numbers_function *f, struct numbers *x,
                          mpz_t *own, mpz_ptr *r) {
    for (unsigned k = 0; k < f->results; k++) {
        size_t i = run_below(run, 2 * f->operands + 1);
        r[k] = i < f->operands ? x->u[i] : own[k];
        for (unsigned j = 0; j < k; j++)
            r[k] = r[j] == r[k] ? own[k] : r[k];
    }
    if (x->may_be_null && run_below(run, 3) == 0)
        r[run_below(run, f->results)] = NULL;
}

static int is_result(const struct numbers_function *f, const mpz_ptr *r, mpz_srcptr x) {
    for (unsigned k = 0; k < f->results; k++)
        if (r[k] == x)
            return 1;
    return 0;
}

static int compare(struct run *run, const struct numbers_function *f, struct numbers *x, mpz_t *own,
                   mpz_t *wanted) {
    mpz_ptr r[NUMBERS_MOST], right[NUMBERS_MOST];
    mpz_t copy[NUMBERS_MOST];
    for (unsigned k = 0; k < NUMBERS_MOST; k++) {
        mpz_init_set(copy[k], x->z[k]);
        right[k] = wanted[k];
    }
    choose_places(run, f, x, own, r);
    const long answer = f->apply(run->reference, right, x->u, x->word);
    run->eligible += x->least ? mpz_size(wanted[0]) >= x->least : x->eligible != 0;
    int good = f->apply(&intercepted, r, x->u, x->word) == answer;
    for (unsigned k = 0; k < f->results; k++)
        good &= !r[k] || same_mpz(r[k], wanted[k]);
    for (unsigned k = 0; k < NUMBERS_MOST; k++) {
        good &= is_result(f, r, x->z[k]) || same_mpz(x->z[k], copy[k]);
        if (!good && k < f->operands)
            gmp_fprintf(stderr, "operand %u: %#Zx\n", k, copy[k]);
        mpz_clear(copy[k]);
    }
    return good;
}

int numbers_run(struct run *run, const void *function) {
    const struct numbers_function *f = function;
    struct numbers x = {.eligible = 0};
    mpz_t own[NUMBERS_MOST], wanted[NUMBERS_MOST];
    for (unsigned k = 0; k < NUMBERS_MOST; k++) {
        mpz_inits(x.z[k], own[k], NULL);
        run->reference->mpz_init_(wanted[k]);
        x.u[k] = x.z[k];
    }
    f->make(run, &x);
    if (f->results && run_below(run, 2))
        run_mpz(run, own[0], 1 + run_below(run, run->most));
    int good = compare(run, f, &x, own, wanted);
    if (!good)
        fprintf(stderr, "differential: %s, words %lu and %lu: wrong\n", f->name, x.word[0],
                x.word[1]);
    for (unsigned k = 0; k < NUMBERS_MOST; k++) {
        mpz_clears(x.z[k], own[k], NULL);
        run->reference->mpz_clear_(wanted[k]);
    }
    return good;
}
