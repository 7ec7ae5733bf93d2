/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels for quotients of batches, without a check. */
#include "lib/modular/euclid_divide.h"

#include "kernels/modular/divide.h"
#include "lib/base/ceil_div.h"
#include "lib/modular/euclid_newton.h"
#include "lib/modular/modular.h"

static enum gpu_status by_words(struct context *s, const struct euclid_part *p, gpu_mem q,
                                gpu_mem r) {
    const struct euclid_operation *op = p->op;
    const unsigned program = modular_program(op->words);
    const struct launch_groups groups =
        launch_row(ceil_div(p->count * DIVIDE_LANES(program), DIVIDE_THREADS));
    return launch_batch_divide(s, program, groups, q, r, op->u, op->v, p->d_at, euclid_v_step(op),
                               p->first, p->count, op->u_words, op->words, op->q.h != 0,
                               op->r.h != 0);
}

enum gpu_status euclid_divide(struct context *s, const struct euclid_part *p) {
    const gpu_mem q = p->op->q.h ? p->op->q : p->op->r, r = p->op->r.h ? p->op->r : p->op->q;
    return euclid_is_by_newton(p->op) ? euclid_newton(s, p) : by_words(s, p, q, r);
}
