/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe (the function that computes a job on the device) of the product of many single limbs,
 * which are in groups (lib/calc/calc_tree.h). */
#include <stdlib.h>

#include "lib/calc/calc_tree.h"
#include "lib/job/job.h"

/* The most bits of the result. The limit ensures that sums of lengths do not overflow. */
static const uint64_t most_bits = UINT64_C(1) << 60;

static bool columns_fit(const struct calc_tree *t) {
    const uint64_t most = UINT64_C(64) << t->levels;
    for (uint64_t i = 0; i < t->columns; i++)
        if (t->bits[i] == 0 || t->bits[i] > most)
            return false;
    return true;
}

/* Returns true if the groups' columns follow one another without gaps, and the result's length is
 * possible. */
static bool groups_fit(const struct calc_tree *t) {
    uint64_t bits = t->start_bits, at = 0;
    for (unsigned i = 0; i < t->count && bits <= most_bits; i++) {
        const struct calc_tree_group *g = &t->groups[i];
        if (g->first != at || g->columns > t->columns - at || g->is_squared > 1)
            return false;
        at += g->columns;
        bits = (bits << g->is_squared) + calc_tree_group_bits(t, i);
    }
    return bits <= most_bits;
}

/* Copies the tables of bits and groups (struct calc_tree) to `to`, and checks the copy. Another
 * process may change the originals, and the program may release them when the device does not
 * answer in time. */
static bool copy_tables(struct calc *c, const struct job *j, struct calc_tree *t, uint64_t *to) {
    const struct job_ref *bits = &j->u[1], *groups = &j->u[2];
    if (!to)
        c->status = GPU_NOMEM;
    if (!to || !calc_read(c, to, bits->host, job_bytes(bits)) ||
        !calc_read(c, to + bits->n, groups->host, job_bytes(groups)))
        return false;
    t->bits = to;
    t->groups = (const struct calc_tree_group *)(to + bits->n);
    if (!columns_fit(t) || !groups_fit(t))
        c->status = GPU_FAILED;
    return c->status == GPU_OK;
}

void recipe_product_tree(struct calc *c, struct job *j) {
    const struct job_ref *start = &j->u[3];
    uint64_t *tables = malloc(job_bytes(&j->u[1]) + job_bytes(&j->u[2]));
    struct calc_tree tree = {.limbs = j->u[0].host,
                             .columns = j->u[1].n,
                             .levels = (unsigned)j->parameter[JOB_LEVELS],
                             .count = (unsigned)(j->u[2].n / JOB_GROUP_LIMBS),
                             .start = j->operands > 3 ? start->host : NULL,
                             .start_limbs = j->operands > 3 ? start->n : 0,
                             .start_bits = j->parameter[JOB_START_BITS]};
    if (copy_tables(c, j, &tree, tables))
        job_deliver(c, j, 0, calc_tree(c, &tree));
    free(tables);
}
