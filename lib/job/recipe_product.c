/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe (the function that computes a job on the device) of products whose low limbs are not
 * wanted, or to which a number is added. */
#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/job/job.h"

/* Sets r = |a - b|, where all three have the same length. Waits for the comparison, and returns
 * true if a < b. The check verifies that the smaller number plus r is the larger one. */
static bool difference(struct calc *c, struct number r, struct number a, struct number b) {
    struct number more = calc_take(c, r.words), less = calc_take(c, r.words);
    struct number flag = calc_compare(c, a, b);
    calc_select(c, more, flag, b, a);
    calc_select(c, less, flag, a, b);
    calc_sub(c, r, more, less);
    uint64_t not_less = 0; /* word 0 is the flag; the download of one limb also sets word 1 */
    calc_download(c, &not_less, flag, 1);
    bool is_less = !(uint32_t)not_less;
    calc_demand_rest(c, is_less ? b : a, is_less ? a : b, calc_one(c), r);
    return is_less;
}

static void sum(struct calc *c, struct job *j, struct number r, struct number product,
                struct number w) {
    j->answer = 0;
    if (j->parameter[JOB_SUBTRACT]) {
        j->answer = difference(c, r, w, product) ? JOB_IS_NEGATIVE : 0;
    } else {
        calc_add(c, r, w, product);
        calc_demand_product(c, r, w, calc_one(c), product);
    }
}

void recipe_mul_part(struct calc *c, struct job *j) {
    const struct job_ref *u_ref = &j->u[0], *v_ref = &j->u[1];
    const bool is_square = job_is_same(u_ref, v_ref);
    const uint64_t words = job_part_words(j);
    struct number u = job_operand(c, u_ref, calc_words(64 * u_ref->n)),
                  v = is_square ? u : job_operand(c, v_ref, calc_words(64 * v_ref->n));
    struct number product = calc_take(c, words), r = product;
    calc_mul(c, product, u, v);
    calc_demand_product(c, product, u, v, number_part(u, 0, 0));
    if (j->operands > JOB_ADDEND) {
        struct number w = job_operand(c, &j->u[JOB_ADDEND], words);
        calc_need(c, w);
        r = calc_take(c, words);
        sum(c, j, r, product, w);
    }
    calc_doubt(c, r);
    job_deliver(c, j, 0, number_part(r, 2 * j->parameter[JOB_SKIP], r.words));
}
