/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests mpn functions that compute full products. */
#include "tests/differential/differential_limbs.h"

static void any(struct run *run, struct limbs *l) {
    run_sizes(run, &l->un, &l->vn);
    l->rn = l->un + l->vn;
}

static void balanced(struct run *run, struct limbs *l) {
    any(run, l);
    l->vn = l->un;
    l->rn = 2 * l->un;
}

static mp_limb_t apply_mul(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    return f->mpn_mul(rp, l->up, (mp_size_t)l->un, l->vp, (mp_size_t)l->vn);
}

static mp_limb_t apply_mul_n(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    f->mpn_mul_n(rp, l->up, l->vp, (mp_size_t)l->un);
    return 0;
}

static mp_limb_t apply_sqr(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    f->mpn_sqr(rp, l->up, (mp_size_t)l->un);
    return 0;
}

static mp_limb_t apply_nussbaumer(const struct reference *f, mp_ptr rp, const struct limbs *l) {
    f->mpn_nussbaumer_mul(rp, l->up, (mp_size_t)l->un, l->vp, (mp_size_t)l->vn);
    return 0;
}

static const struct limbs_function mul = {"mpn_mul", "", any, OTHER, apply_mul},
                                   square = {"mpn_mul", " by itself", balanced, ITSELF, apply_mul},
                                   inside = {"mpn_mul", " by its lower part", any, ITSELF,
                                             apply_mul},
                                   mul_n = {"mpn_mul_n", "", balanced, OTHER, apply_mul_n},
                                   square_n = {"mpn_mul_n", " by itself", balanced, ITSELF,
                                               apply_mul_n},
                                   sqr = {"mpn_sqr", "", balanced, ITSELF, apply_sqr},
                                   nussbaumer = {"mpn_nussbaumer_mul", "", any, OTHER,
                                                 apply_nussbaumer},
                                   nussbaumer_square = {"mpn_nussbaumer_mul", " by itself",
                                                        balanced, ITSELF, apply_nussbaumer};

const struct differential_case differential_mpn[] = {
    {"mpn_mul", limbs_run, &mul},
    {"mpn_mul", limbs_run, &square},
    {"mpn_mul", limbs_run, &inside},
    {"mpn_mul_n", limbs_run, &mul_n},
    {"mpn_mul_n", limbs_run, &square_n},
    {"mpn_sqr", limbs_run, &sqr},
    {"mpn_nussbaumer_mul", limbs_run, &nussbaumer},
    {"mpn_nussbaumer_mul", limbs_run, &nussbaumer_square},
    {NULL, NULL, NULL},
};
