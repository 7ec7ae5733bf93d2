/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A product and what is done with it. */
#include "lib/operate/operate_product.h"

#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/operate/composition.h"

enum { LIMB_WORDS = 2 };

struct work {
    struct operate_product p;
    mp_ptr r;
};

/* |a - b| to r, all of the same size; whether a < b.  The host hears of that first, so that the
 * check is of a and b themselves: one of them is the other and r. */
static bool difference(struct calc *c, struct number r, struct number a, struct number b) {
    struct number more = calc_take(c, r.words), less = calc_take(c, r.words);
    struct number flag = calc_compare(c, a, b);
    calc_select(c, more, flag, b, a);
    calc_select(c, less, flag, a, b);
    calc_sub(c, r, more, less);
    uint64_t not_less = 0; /* and the word behind it */
    calc_download(c, &not_less, flag, 1);
    bool is_less = !(uint32_t)not_less;
    calc_demand_rest(c, is_less ? b : a, is_less ? a : b, calc_one(c), r);
    return is_less;
}

static void sum(struct calc *c, struct work *k, struct number r, struct number product,
                struct number w) {
    if (k->p.subtract) {
        k->p.is_negative = difference(c, r, w, product);
    } else {
        calc_add(c, r, w, product);
        calc_demand_product(c, r, w, calc_one(c), product);
    }
}

static void multiply(struct calc *c, void *argument) {
    struct work *k = argument;
    const struct operate_product *p = &k->p;
    size_t n = p->wn > p->un + p->vn ? p->wn : p->un + p->vn;
    uint64_t words = calc_words(64 * (n + (p->wn > 0)));
    bool is_square = p->up == p->vp && p->un == p->vn;
    struct number u = calc_operand(c, p->up, p->un, calc_words(64 * p->un)),
                  v = is_square ? u : calc_operand(c, p->vp, p->vn, calc_words(64 * p->vn));
    if (calc_words(64 * p->un) + calc_words(64 * p->vn) > words)
        words = u.words + v.words;
    struct number product = calc_take(c, words), r = product;
    calc_mul(c, product, u, v);
    calc_demand_product(c, product, u, v, number_part(u, 0, 0));
    if (p->wn > 0) {
        struct number w = calc_operand(c, p->wp, p->wn, words);
        calc_need(c, w);
        r = calc_take(c, words);
        sum(c, k, r, product, w);
    }
    calc_doubt(c, r);
    calc_download(c, k->r, number_part(r, LIMB_WORDS * p->skip, r.words),
                  min_u64(p->rn, r.words / LIMB_WORDS - p->skip));
}

enum outcome operate_product(struct operate_product *p) {
    const struct touch touches[] = {{p->up, p->un * sizeof *p->up, false},
                                    {p->vp, p->vn * sizeof *p->vp, false},
                                    {p->wp, p->wn * sizeof *p->wp, false},
                                    {p->rp, p->rn * sizeof *p->rp, true}};
    const size_t count = sizeof touches / sizeof *touches;
    struct work k = {.p = *p};
    struct composition_result r;
    if (!composition_result_begin(&r, p->rp, p->rn, touches, count))
        return OUTCOME_MEMORY;
    k.r = composition_result_limbs(&r);
    enum outcome outcome = composition_run(multiply, &k, sizeof k, touches, count);
    composition_result_end(&r, outcome == OUTCOME_DONE);
    p->is_negative = k.p.is_negative;
    return outcome;
}
