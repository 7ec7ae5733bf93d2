/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of limbs: results, guard limbs round them, operands left alone. */
#include "differential.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 16 };

enum form { MUL, MUL_SQUARE, MUL_INSIDE, MUL_N, MUL_N_SQUARE, SQR, FORMS };
static const char *const form_names[FORMS] = {
    "mpn_mul",   "mpn_mul of a number by itself",   "mpn_mul of a number by its lower part",
    "mpn_mul_n", "mpn_mul_n of a number by itself", "mpn_sqr",
};

struct product {
    size_t un, vn, rn;
    mp_ptr up, vp;           /* operands */
    mp_ptr up_copy, vp_copy; /* as they were */
    mp_ptr wanted, room;     /* results; room has guards on both sides of {room+GUARD, rn} */
    mp_limb_t guards[2 * GUARD];
};

static mp_ptr limbs_alloc(size_t n) {
    mp_ptr p = malloc(n * sizeof *p);
    if (!p) {
        fputs("differential: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static mp_ptr limbs_copy(mp_srcptr p, size_t n) {
    return memcpy(limbs_alloc(n), p, n * sizeof *p);
}

static void prepare(struct run *run, struct product *p) {
    p->rn = p->un + p->vn;
    p->up = limbs_alloc(p->un);
    p->vp = limbs_alloc(p->vn);
    run_limbs(run, p->up, p->un);
    run_limbs(run, p->vp, p->vn);
    p->up_copy = limbs_copy(p->up, p->un);
    p->vp_copy = limbs_copy(p->vp, p->vn);
    p->wanted = limbs_alloc(p->rn);
    p->room = limbs_alloc(p->rn + 2 * GUARD);
    for (int i = 0; i < 2 * GUARD; i++)
        p->guards[i] = run_bits(run);
    memcpy(p->room, p->guards, GUARD * sizeof(mp_limb_t));
    memcpy(p->room + GUARD + p->rn, p->guards + GUARD, GUARD * sizeof(mp_limb_t));
}

static void dispose(struct product *p) {
    free(p->up);
    free(p->vp);
    free(p->up_copy);
    free(p->vp_copy);
    free(p->wanted);
    free(p->room);
}

/* The operand that the second one is in this form. */
static mp_srcptr second(const struct product *p, enum form form) {
    return form == MUL || form == MUL_N ? p->vp : p->up;
}

/* Both results; the top limb that the intercepted function returned. */
static mp_limb_t compute(const struct product *p, enum form form, const struct reference *gmp) {
    mp_ptr rp = p->room + GUARD;
    mp_srcptr vp = second(p, form);
    mp_size_t un = (mp_size_t)p->un, vn = (mp_size_t)p->vn;
    gmp->mpn_mul(p->wanted, p->up, un, vp, vn);
    switch (form) {
    case MUL:
    case MUL_SQUARE:
    case MUL_INSIDE:
        return mpn_mul(rp, p->up, un, vp, vn);
    case MUL_N:
    case MUL_N_SQUARE:
        mpn_mul_n(rp, p->up, vp, un);
        break;
    default:
        mpn_sqr(rp, p->up, un);
    }
    return rp[p->rn - 1];
}

static int same(mp_srcptr a, mp_srcptr b, size_t n) {
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* NULL, or what is wrong. */
static const char *judge(const struct product *p, mp_limb_t top) {
    if (!same(p->room + GUARD, p->wanted, p->rn))
        return "wrong product";
    if (top != p->wanted[p->rn - 1])
        return "wrong limb returned";
    if (!same(p->room, p->guards, GUARD))
        return "limbs before the result changed";
    if (!same(p->room + GUARD + p->rn, p->guards + GUARD, GUARD))
        return "limbs behind the result changed";
    if (!same(p->up, p->up_copy, p->un) || !same(p->vp, p->vp_copy, p->vn))
        return "an operand changed";
    return NULL;
}

int differential_mpn(struct run *run) {
    struct product p;
    enum form form = (enum form)run_below(run, FORMS);
    run_sizes(run, &p.un, &p.vn);
    if (form != MUL && form != MUL_INSIDE)
        p.vn = p.un;
    prepare(run, &p);
    run->eligible++;
    const char *wrong = judge(&p, compute(&p, form, run->reference));
    if (wrong)
        fprintf(stderr, "differential: %s, %zu by %zu limbs: %s\n", form_names[form], p.un, p.vn,
                wrong);
    dispose(&p);
    return wrong == NULL;
}
