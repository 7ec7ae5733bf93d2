/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe of products of many limbs, in groups. */
#include "lib/calc/calc_tree.h"
#include "lib/job/job.h"

bool job_fits_product_tree(const struct job *j) {
    const uint64_t levels = j->parameter[JOB_LEVELS], columns = j->u[1].n;
    return (job_has(j, 3, 1) || job_has(j, 4, 1)) && levels >= 1 && levels <= CALC_TREE_LEVELS &&
           columns <= JOB_MOST_LIMBS >> levels && j->u[0].n == columns << levels &&
           j->u[2].n % JOB_GROUP_LIMBS == 0 && j->u[2].n <= JOB_GROUP_LIMBS * UINT32_MAX &&
           (j->operands == 3 || job_is_length(j->parameter[JOB_START_BITS], j->u[3].n));
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
    job_deliver(c, j, 0, calc_tree(c, &tree));
}
