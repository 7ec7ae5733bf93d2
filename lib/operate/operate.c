/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on limbs in host memory, by their names: each is one struct operation. */
#include "lib/operate/operate.h"

#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/memory/touch.h"
#include "lib/multiply/direct.h"
#include "lib/operate/operation.h"
#include "lib/process/floating.h"
#include "lib/session/session.h"
static struct direct_product direct(const struct operate_factors *f) {
    bool swaps = f->un < f->vn;
    return (struct direct_product){.kind = DIRECT_LOW,
                                   .rp = f->rp,
                                   .rn = f->un + f->vn,
                                   .up = swaps ? f->vp : f->up,
                                   .un = swaps ? f->vn : f->un,
                                   .vp = swaps ? f->up : f->vp,
                                   .vn = swaps ? f->un : f->vn};
}

bool operate_is_small(const struct operate_factors *f) {
    struct direct_product p = direct(f);
    return session_fits_product(&p);
}

bool operate_mul_several(const struct operate_factors *f, unsigned count, enum outcome *outcome) {
    struct direct_product p[OPERATE_SEVERAL];
    *outcome = OUTCOME_MEMORY;
    for (unsigned i = 0; i < count; i++) {
        const struct touch touches[] = {{f[i].up, f[i].un * sizeof *f[i].up, false},
                                        {f[i].vp, f[i].vn * sizeof *f[i].vp, false},
                                        {f[i].rp, (f[i].un + f[i].vn) * sizeof *f[i].rp, true}};
        p[i] = direct(&f[i]);
        if (!touch_all(touches, sizeof touches / sizeof *touches))
            return true;
    }
    return session_run_products(p, count, outcome);
}

/* Sets *above to the limb above the result, the carry or the borrow. */
static enum outcome run(struct operation *op, mp_limb_t *above) {
    enum outcome outcome = operation_run(op);
    *above = op->carry;
    return outcome;
}

enum outcome operate_addmul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                            size_t vn, size_t old, int may_be_cut, mp_limb_t *cy) {
    struct operation op = {.kind = PRODUCT,
                           .rp = rp,
                           .rn = un + vn,
                           .up = up,
                           .un = un,
                           .vp = vp,
                           .vn = vn,
                           .old = old,
                           .may_be_cut = may_be_cut};
    return run(&op, cy);
}

enum outcome operate_mullo(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                           const mp_limb_t *vp, size_t vn) {
    struct operation op = {.kind = PRODUCT,
                           .rp = rp,
                           .rn = rn,
                           .up = up,
                           .un = min_u64(un, rn),
                           .vp = vp,
                           .vn = min_u64(vn, rn)};
    return operation_run(&op);
}

/* In the caller's thread: costs are compared in floating point. */
size_t operate_bnm1_size(size_t least_size, size_t un, size_t vn) {
    struct floating before;
    if (mpgpu_conf.verify == VERIFY_RESIDUE)
        return 0;
    floating_begin(&before);
    uint64_t words = mulmod_minus_words(least_size * LIMB_WORDS, un * LIMB_WORDS, vn * LIMB_WORDS);
    floating_end(&before);
    return (size_t)(words / LIMB_WORDS);
}

enum outcome operate_mulmod_bnm1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                 const mp_limb_t *vp, size_t vn) {
    struct operation op = {
        .kind = MULMOD, .rp = rp, .rn = rn, .up = up, .un = un, .vp = vp, .vn = vn};
    op.mulmod.words = rn * LIMB_WORDS;
    return operation_run(&op);
}

enum outcome operate_mulmod_bnp1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                 const mp_limb_t *vp, size_t vn, mp_limb_t *top) {
    struct operation op = {
        .kind = MULMOD, .rp = rp, .rn = rn, .up = up, .un = un, .vp = vp, .vn = vn};
    op.mulmod.words = rn * LIMB_WORDS;
    op.mulmod.plus = 1;
    return run(&op, top);
}

enum outcome operate_add(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    struct operation op = {.kind = SUM, .rp = rp, .rn = un, .up = up, .un = un, .vp = vp, .vn = vn};
    return run(&op, cy);
}

enum outcome operate_sub(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    struct operation op = {
        .kind = DIFFERENCE, .rp = rp, .rn = un, .up = up, .un = un, .vp = vp, .vn = vn};
    return run(&op, cy);
}

enum outcome operate_mul_1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un, mp_limb_t v,
                           const mp_limb_t *wp, size_t wn, int subtract) {
    struct operation op = {.kind = BY_LIMB,
                           .rp = rp,
                           .rn = rn,
                           .up = up,
                           .un = un,
                           .vp = wp,
                           .vn = wn,
                           .limb = v,
                           .subtract = subtract};
    return operation_run(&op);
}
