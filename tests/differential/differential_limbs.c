/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a test of a function on limbs: operands, guard limbs, and the comparison with GMP. */
#include "tests/differential/differential_limbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 16 };

/* Memory for `n` limbs between guard limbs, which must not change. */
struct guarded {
    mp_ptr room;
    size_t n;
    mp_limb_t guards[2 * GUARD];
};

static mp_ptr limbs_alloc(size_t n) {
    mp_ptr p = malloc((n + 1) * sizeof *p);
    if (!p) {
        fputs("differential: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static mp_ptr limbs_copy(mp_srcptr p, size_t n) {
    return memcpy(limbs_alloc(n), p, n * sizeof *p);
}

/* 0 at times. */
static mp_ptr limbs_random(struct run *run, size_t n) {
    mp_ptr p = limbs_alloc(n);
    if (run_below(run, 32) == 0)
        memset(p, 0, n * sizeof *p);
    else
        run_limbs(run, p, n);
    return p;
}

static mp_ptr guarded_open(struct run *run, struct guarded *g, size_t n) {
    g->n = n;
    g->room = limbs_alloc(n + 2 * GUARD);
    for (int i = 0; i < 2 * GUARD; i++)
        g->guards[i] = run_bits(run);
    memcpy(g->room, g->guards, GUARD * sizeof(mp_limb_t));
    memcpy(g->room + GUARD + n, g->guards + GUARD, GUARD * sizeof(mp_limb_t));
    return g->room + GUARD;
}

static int guarded_close(struct guarded *g) {
    int good = same_limbs(g->room, g->guards, GUARD) &&
               same_limbs(g->room + GUARD + g->n, g->guards + GUARD, GUARD);
    free(g->room);
    return good;
}

/* Calls GMP's function and the intercepted one on the same operands and compares everything that
 * they wrote.  Returns NULL, or what differs. */
static const char *compare(struct run *run, const struct limbs_function *f, struct limbs *l) {
    struct guarded result, scratch;
    const char *wrong = NULL;
    mp_ptr wanted = limbs_alloc(l->rn), rp = guarded_open(run, &result, l->rn);
    l->scratch = guarded_open(run, &scratch, l->scratch_limbs);
    mp_limb_t wanted_limb = f->apply(run->reference, wanted, l);
    if (f->apply(&intercepted, rp, l) != wanted_limb)
        wrong = "another limb returned";
    if (!same_limbs(rp, wanted, l->rn))
        wrong = "another result";
    if (!guarded_close(&result))
        wrong = "limbs before or behind the result changed";
    if (!guarded_close(&scratch))
        wrong = "limbs before or behind the scratch space changed";
    free(wanted);
    return wrong;
}

int limbs_run(struct run *run, const void *how) {
    const struct limbs_function *f = how;
    struct limbs l = {0};
    f->shape(run, &l);
    mp_ptr up = limbs_random(run, l.un), vp = limbs_random(run, l.vn);
    mp_ptr up_copy = limbs_copy(up, l.un), vp_copy = limbs_copy(vp, l.vn);
    l.up = up;
    l.vp = f->second == ITSELF ? up : vp;
    run->eligible++;
    const char *wrong = compare(run, f, &l);
    if (!same_limbs(up, up_copy, l.un) || !same_limbs(vp, vp_copy, l.vn))
        wrong = "an operand changed";
    if (wrong)
        fprintf(stderr, "differential: %s%s, %zu by %zu limbs, modulus of %zu: %s\n", f->name,
                f->how, l.un, l.vn, l.modulus, wrong);
    free(up);
    free(vp);
    free(up_copy);
    free(vp_copy);
    return wrong == NULL;
}
