/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m: computes the first approximation of m's reciprocal, which the job
 * (lib/job/recipe_powm.c) needs. Also has the function for mpz. */
#include "lib/algorithms/powm.h"

#include "lib/algorithms/scratch.h"
#include "lib/calc/calc_form.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/normalize.h"
#include "lib/operate/first_reciprocal.h"

struct job powm_job(const struct powm *p, mp_ptr first) {
    const uint64_t bits = normalize_bits(p->mp, p->mn);
    struct job job = {
        .op = JOB_powm,
        .operands = 4,
        .results = 1,
        .u = {job_limbs(p->bp, p->bn), job_limbs(p->ep, p->en), job_limbs(p->mp, p->mn)},
        .r = {job_limbs(p->rp, p->mn)},
        .parameter = {[JOB_MODULUS_BITS] = bits,
                      [JOB_EXPONENT_BITS] = normalize_bits(p->ep, p->en),
                      [JOB_IS_REDUCED] = normalize_bits(p->bp, p->bn) <= bits,
                      [JOB_FORM] = calc_form_find(p->mp, p->mn)}};
    const uint64_t k = job_modulus(&job).k;
    first_reciprocal(first, calc_reciprocal_first(k), p->mp, p->mn, CALC_LAZY_BITS);
    job.u[JOB_FIRST_OF_MODULUS] = job_limbs(first, calc_reciprocal_first_limbs(k));
    return job;
}

bool powm_limbs(struct composite *w, const struct powm *p) {
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    struct job job = powm_job(p, first);
    return recipe_run(w, &job);
}

/* Computes the power in r, which has room for the result. */
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
