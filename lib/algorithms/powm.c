/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m: the reciprocal's first approximation, and the recipe's work.
 *
 * (mpz_powm_sec stays GMP's: it promises a time that does not tell the operands.) */
#include "lib/algorithms/powm.h"

#include <string.h>

#include "lib/algorithms/recipe.h"
#include "lib/algorithms/scratch.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_powm.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/normalize.h"
#include "lib/operate/first_reciprocal.h"

enum { QUAD_LIMBS = 2, MOST_MICROSECONDS = 4000000, STEP_MICROSECONDS = 120, STEP_LIMBS = 700 };
enum {
    MOST_EXPONENT = MOST_MICROSECONDS / STEP_MICROSECONDS / 64
}; /* limbs of one that is short */

struct work {
    struct powm p;
    struct calc_powm powm;
    mp_ptr r;
    const mp_limb_t *first;
    uint64_t first_quads;
};

/* Returns true if the device needs at most MOST_MICROSECONDS: fork and exit wait for it.  On an
 * H200 a step takes STEP_MICROSECONDS, and one microsecond more for each STEP_LIMBS limbs. */
static bool is_short(const struct powm *p) {
    return p->en <= MOST_EXPONENT &&
           calc_powm_steps(64 * p->en) <=
               MOST_MICROSECONDS / (STEP_MICROSECONDS + p->mn / STEP_LIMBS);
}

/* Copies the exponent to `to`, for the device.  It lies in the program's memory, and the program
 * goes on if the device does not answer in time. */
static void read_exponent(struct calc *c, struct work *k, mp_ptr to) {
    if (!calc_host_begin(c))
        return;
    memcpy(to, k->p.ep, k->p.en * sizeof *to);
    calc_host_end(c);
    k->powm.exponent = to;
}

static void power(struct calc *c, void *argument) {
    struct work *k = argument;
    const struct powm *p = &k->p;
    mp_limb_t exponent[MOST_EXPONENT];
    k->powm.exponent = p->ep;
    if (!c->host)
        read_exponent(c, k, exponent);
    if (c->status != GPU_OK)
        return;
    struct number modulus = calc_operand(c, p->mp, p->mn, CALC_QUAD * k->powm.by.n);
    struct number b = calc_operand(c, p->bp, p->bn, calc_words(64 * p->bn));
    struct number first = calc_upload(c, k->first, QUAD_LIMBS * (k->first_quads + 1),
                                      CALC_QUAD * (k->first_quads + 1));
    calc_download(c, k->r, calc_powm(c, &k->powm, b, modulus, first), p->mn);
    k->powm.exponent = NULL;
}

static bool run(struct composite *w, struct work *k, const struct touch *touches, size_t count) {
    const struct powm *p = &k->p;
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    uint64_t bits = normalize_bits(p->mp, p->mn);
    k->powm.by = calc_modulus_plan(bits);
    k->powm.bits = normalize_bits(p->ep, p->en);
    k->powm.is_reduced = normalize_bits(p->bp, p->bn) <= bits;
    k->first_quads = calc_reciprocal_first(k->powm.by.k);
    first_reciprocal(first, k->first_quads, p->mp, p->mn, CALC_LAZY_BITS);
    k->first = first;
    return is_short(p) ? recipe_run(w, power, k, sizeof *k, touches, count, 2 * p->mn)
                       : recipe_run_on_host(w, power, k);
}

bool powm_limbs(struct composite *w, const struct powm *p) {
    const struct touch touches[] = {{p->bp, p->bn * sizeof *p->bp, false},
                                    {p->ep, p->en * sizeof *p->ep, false},
                                    {p->mp, p->mn * sizeof *p->mp, false},
                                    {p->rp, p->mn * sizeof *p->rp, true}};
    const size_t count = sizeof touches / sizeof *touches;
    struct work k = {.p = *p};
    struct composition_result r;
    if (!composition_result_begin(&r, p->rp, p->mn, touches, count))
        return false;
    k.r = composition_result_limbs(&r);
    bool done = run(w, &k, touches, count);
    composition_result_end(&r, done);
    return done;
}

/* r has room for the result. */
static bool compute(struct composite *w, mpz_ptr r, mpz_srcptr b, mp_srcptr ep, size_t en,
                    mpz_srcptr m) {
    size_t mn = mpz_size(m);
    bool negative = b->_mp_size < 0 && ep[0] & 1;
    mp_ptr rp = r->_mp_d, mp = negative ? scratch_alloc(mn) : NULL;
    if (negative && !mp)
        return false;
    if (negative)
        mpn_copyi(mp, m->_mp_d, (mp_size_t)mn);
    const struct powm p = {rp, b->_mp_d, ep, m->_mp_d, mpz_size(b), en, mn};
    bool done = powm_limbs(w, &p);
    if (done && negative && !mpn_zero_p(rp, (mp_size_t)mn))
        mpn_sub_n(rp, mp, rp, (mp_size_t)mn);
    if (done)
        r->_mp_size = (int)normalize(rp, mn);
    scratch_free(mp);
    return done;
}

bool powm_mpz(struct composite *w, mpz_ptr r, mpz_srcptr b, mp_srcptr ep, size_t en, mpz_srcptr m) {
    size_t mn = mpz_size(m);
    if (mn < 2)
        return false;
    bool is_exponent = ep == r->_mp_d;
    mp_ptr rp = composite_mpz_grow(r, mn);
    return compute(w, r, b, is_exponent ? rp : ep, en, m);
}
