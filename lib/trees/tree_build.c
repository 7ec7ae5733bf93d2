/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the levels of a product tree from the leaves to the root. The numbers of a level that is
 * a batch are multiplied together, larger ones one by one. */
#include "lib/trees/tree_build.h"

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/modulus.h"

static bool is_batch(const struct calc *c, const struct tree_plan *plan, unsigned level) {
    return level <= plan->batches && plan->level[level - 1].words <= calc_batch_most_words(c);
}

static void multiply_batch(struct calc *c, const struct tree_build *t, unsigned level) {
    const struct tree_level *r = &t->plan->level[level], *u = r - 1;
    const uint64_t words = r->nodes * u->words;
    calc_mul_batch(c, r->nodes, u->words, (struct number){t->mem, r->at, 2 * words},
                   (struct number){t->mem, u->at, words},
                   (struct number){t->mem, u->at + words, words});
}

static void multiply_each(struct calc *c, const struct tree_build *t, unsigned level) {
    uint64_t half = t->plan->level[level].nodes;
    for (uint64_t i = 0; i < half; i++) {
        struct number r = tree_number(t->plan, t->mem, level, i);
        struct number low = tree_number(t->plan, t->mem, level - 1, i);
        if (!tree_is_lone(t->plan, level, i))
            calc_mul(c, r, low, tree_number(t->plan, t->mem, level - 1, i + half));
        else if (level <= t->plan->batches)
            calc_copy(c, r, low);
    }
}

static void make_level(struct calc *c, const struct tree_build *t, unsigned level) {
    const struct tree_level *l = &t->plan->level[level];
    if (is_batch(c, t->plan, level))
        multiply_batch(c, t, level);
    else
        multiply_each(c, t, level);
    if (level <= t->plan->batches && l->slots > l->nodes)
        calc_copy(c, tree_number(t->plan, t->mem, level, l->nodes), calc_one(c));
}

/* Returns the residue modulo q of the product of `count` numbers of `limbs` limbs each. A factor at
 * the end corrects the divisions by 2^64: one for each limb, and one for each number. */
static uint64_t residue_of_product(const uint64_t *x, uint64_t count, uint64_t limbs,
                                   struct check_modulus q) {
    uint64_t product = 1;
    for (const uint64_t *end = x + count * limbs; x < end; x += limbs) {
        uint64_t s = 0;
        for (uint64_t i = 0; i < limbs; i++)
            s = residue_horner(s, 1, x[i], q.m, q.minv);
        product = residue_product(s, product, q.m, q.minv);
    }
    return residue_product(product, modulus_power_of_words(2 * count * (limbs + 1), q), q.m,
                           q.minv);
}

/* Computes residues of the leaves on the host while the device works, and requests the comparison
 * of the root's residue with that of their product. */
static void check(struct calc *c, struct tree_build *t) {
    const struct tree_level *leaves = &t->plan->level[0];
    const uint64_t limbs = leaves->nodes * leaves->words / 2;
    if (!calc_check_is_on(c))
        return;
    const uint64_t *x = calc_enter(c, t->leaves, limbs * sizeof *x);
    if (!x)
        return;
    const struct check_modulus q = c->s->modulus;
    t->residue = residue_of_product(x, leaves->nodes, leaves->words / 2, q);
    t->of_leaves = limbs_residue(x, limbs, q);
    t->is_checked = true;
    calc_leave(c);
    calc_demand_residue(c, tree_root(t->plan, t->mem), t->residue);
}

void tree_build(struct calc *c, struct tree_build *t) {
    struct number root = tree_root(t->plan, t->mem);
    for (unsigned level = 1; level <= t->plan->top; level++)
        make_level(c, t, level);
    check(c, t);
    calc_download(c, t->top, number_part(root, t->from, root.words), (root.words - t->from) / 2);
}
