/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe of products of many limbs, in groups. */
#include "lib/calc/calc_tree.h"
#include "lib/job/job.h"

bool job_fits_product_tree(const struct job *j) {
    const uint64_t levels = j->parameter[JOB_LEVELS], columns = j->u[1].n;
    return (job_has(j, 3, 1) || job_has(j, 4, 1)) && levels >= 1 && levels <= CALC_TREE_LEVELS &&
           columns <= JOB_MOST_LIMBS >> levels && j->u[0].n == columns << levels &&
           j->u[2].n % JOB_GROUP_LIMBS == 0 && j->u[2].n / JOB_GROUP_LIMBS <= UINT32_MAX &&
           (j->operands == 3 || job_is_length(j->parameter[JOB_START_BITS], j->u[3].n));
}

/* Returns true if all groups are columns that are there. */
static bool groups_fit(struct calc *c, const struct calc_tree *t) {
    bool do_fit = true;
    if (!calc_host_begin(c))
        return false;
    for (unsigned i = 0; i < t->count; i++)
        do_fit = do_fit && t->groups[i].first <= t->columns &&
                 t->groups[i].columns <= t->columns - t->groups[i].first;
    calc_host_end(c);
    if (!do_fit)
        c->status = GPU_FAILED;
    return do_fit;
}

void recipe_product_tree(struct calc *c, struct job *j) {
    const struct job_ref *start = &j->u[3];
    const struct calc_tree tree = {.limbs = j->u[0].host,
                                   .bits = j->u[1].host,
                                   .columns = j->u[1].n,
                                   .levels = (unsigned)j->parameter[JOB_LEVELS],
                                   .groups = (const struct calc_tree_group *)j->u[2].host,
                                   .count = (unsigned)(j->u[2].n / JOB_GROUP_LIMBS),
                                   .start = j->operands > 3 ? start->host : NULL,
                                   .start_limbs = j->operands > 3 ? start->n : 0,
                                   .start_bits = j->parameter[JOB_START_BITS]};
    if (groups_fit(c, &tree))
        job_deliver(c, j, 0, calc_tree(c, &tree));
}
