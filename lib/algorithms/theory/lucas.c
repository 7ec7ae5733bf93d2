/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The strong Lucas test (R. Baillie and S. Wagstaff, Lucas Pseudoprimes, 1980). Let D be the
 * first of 5, -7, 9, -11 ... whose symbol (D/n) is -1. Let U and V be the Lucas sequences of the
 * parameters P = 1 and Q = (1 - D) / 4. Let n + 1 = 2^s d, with d odd. If n is a prime, it
 * divides U_d or one of V_d, V_2d, V_4d ... V_(2^(s-1) d).
 *
 * The code computes another sequence instead, W_k = V_2k / Q^k, with two products a bit. W is
 * itself a Lucas sequence of the kind of V, with the parameters P' = 1/Q - 2 and Q' = 1. With D'
 * = P'^2 - 4, the sequences satisfy
 *
 *     V_k^2 = Q^k (W_k + 2),    D U_k^2 = Q^k (W_k - 2),
 *     U_k V_k = Q^(k-1) (2 W_(k+1) - P' W_k) / D'.
 *
 * n has no factor in common with Q, D or 2. Each common prime factor of U_d and V_d divides Q, D
 * or 2. So these conditions hold modulo n:
 *
 *     n divides U_d      if  W_d = 2   and  W_(d+1) = P',
 *     n divides V_d      if  W_d = -2  and  W_(d+1) = -P',
 *     n divides V_2k     if  W_k = 0. */
#include "lib/algorithms/theory/lucas.h"

#include "lib/algorithms/root.h"
#include "lib/algorithms/theory/square.h"
#include "lib/gmp/real.h"

/* If n is a square, no D has symbol (D/n) = -1. find_d tests whether n is a square when D reaches
 * SQUARE_AT. */
enum { SQUARE_AT = 41 };

struct lucas {
    struct modular *m;
    mpz_t p;            /* P' modulo n */
    mpz_t w, next, two; /* W_k, W_(k+1) */
};

static bool is_square(mpz_srcptr n) {
    return square_is_possible(n->_mp_d, mpz_size(n)) && real.mpz_perfect_square_p(n);
}

/* Returns D, or 0 if the search for D proves n composite. */
static long find_d(mpz_srcptr n) {
    long d = 5;
    for (;; d = d > 0 ? -d - 2 : -d + 2) {
        int symbol = mpz_si_kronecker(d, n);
        if (symbol < 0)
            return d;
        if (symbol == 0 || (d == SQUARE_AT && is_square(n)))
            return 0; /* n is composite: it is a square, or has a factor in common with D */
    }
}

/* Sets l->p to 1/Q - 2 modulo n, for Q = (1 - d) / 4. Returns false if Q has no inverse. */
static bool set_p(struct lucas *l, long d) {
    mpz_t q;
    mpz_init(q);
    long value = (1 - d) / 4;
    mpz_set_ui(q, (unsigned long)(value < 0 ? -value : value));
    bool exists = real.mpz_invert(q, q, l->m->n) != 0;
    if (exists && value < 0)
        real.mpz_sub(q, l->m->n, q);
    if (exists)
        modular_sub(l->m, l->p, q, l->two);
    mpz_clear(q);
    return exists;
}

/* r = x y - c */
static void multiply(struct lucas *l, mpz_ptr r, mpz_srcptr x, mpz_srcptr y, mpz_srcptr c) {
    modular_mul(l->m, r, x, y);
    modular_sub(l->m, r, r, c);
}

/* Computes the elements k and k + 1 of the sequence W from its elements 0 and 1, which are 2 and
 * l->p. */
static void climb(struct lucas *l, mpz_srcptr k) {
    mpz_set(l->w, l->two);
    mpz_set(l->next, l->p);
    for (size_t i = composite_mpz_bits(k); i-- > 0;) {
        bool bit = k->_mp_d[i / GMP_NUMB_BITS] >> i % GMP_NUMB_BITS & 1;
        mpz_ptr odd = bit ? l->w : l->next, even = bit ? l->next : l->w;
        multiply(l, odd, l->w, l->next, l->p);
        multiply(l, even, even, even, l->two);
    }
}

/* Returns true if l->w and l->next are 2 and l->p, or -2 and -l->p, modulo n. */
static bool is_at_unit(struct lucas *l) {
    bool is_it = mpz_cmp_ui(l->w, 2) == 0 && mpz_cmp(l->next, l->p) == 0;
    if (!is_it) {
        real.mpz_sub(l->w, l->m->n, l->w);
        real.mpz_sub(l->next, l->m->n, l->next);
        is_it = mpz_cmp_ui(l->w, 2) == 0 && mpz_cmp(l->next, l->p) == 0;
        real.mpz_sub(l->w, l->m->n, l->w);
    }
    return is_it;
}

/* Performs the strong Lucas test of n: writes n + 1 as 2^s d, d odd.  Returns false only if n is
 * composite. */
static bool test(struct lucas *l) {
    mpz_t d;
    mpz_init(d);
    real.mpz_add_ui(d, l->m->n, 1);
    mp_bitcnt_t s = mpn_scan1(d->_mp_d, 0);
    mpz_tdiv_q_2exp(d, d, s);
    climb(l, d);
    mpz_clear(d);
    if (is_at_unit(l))
        return true;
    for (; s > 1; s--) {
        if (l->w->_mp_size == 0)
            return true;
        multiply(l, l->w, l->w, l->w, l->two);
    }
    return false;
}

bool lucas_passes(struct modular *m) {
    struct lucas l = {.m = m};
    long d = find_d(m->n);
    if (d == 0)
        return false;
    mpz_init(l.p);
    mpz_init(l.w);
    mpz_init(l.next);
    mpz_init(l.two);
    mpz_set_ui(l.two, 2);
    bool good = set_p(&l, d) && test(&l);
    mpz_clear(l.p);
    mpz_clear(l.w);
    mpz_clear(l.next);
    mpz_clear(l.two);
    return good;
}
