/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies numbers to and from arrays on a GPU (include/mpgpu.h). */
#include <stdlib.h>

#include "compat/batch/array.h"
#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/number.h"
#include "lib/memory/wipe.h"

EXPORT int mpgpu_number_gpu(unsigned char *uuid, const mpgpu_number *u) {
    return mpgpu_number_on_device(u) ? array_gpu(uuid, u->value->store.device) : 0;
}

EXPORT int mpgpu_number_get_array(mpgpu_array *a, mpgpu_number *u) {
    int error = a ? number_need(u) : batch_fail(MPGPU_ARGUMENTS);
    if (error)
        return error;
    const struct value *x = u->value;
    const size_t n = value_limbs(x);
    if (n > a->n)
        return batch_fail_sizes(MPGPU_ARGUMENTS, "a number of %zu limbs, an array of %zu limbs", n,
                                a->n, 0, 0);
    enum outcome outcome = n < a->n ? array_fill(a, NULL, NULL, a->n) : OUTCOME_DONE;
    if (outcome == OUTCOME_DONE && n > 0)
        outcome = array_fill(a, x->limbs, &x->store, n);
    return outcome == OUTCOME_DONE ? 0 : array_fail(outcome);
}

EXPORT int mpgpu_number_set_array(mpgpu_number *r, const mpgpu_array *a, size_t n) {
    if (!r || !a || n == 0)
        return batch_fail(MPGPU_ARGUMENTS);
    if (n > a->n)
        return batch_fail_sizes(MPGPU_ARGUMENTS, "the first %zu limbs of an array of %zu", n, a->n,
                                0, 0);
    mp_limb_t *limbs = malloc(n * sizeof *limbs);
    if (!limbs)
        return batch_fail(MPGPU_NO_MEMORY);
    enum outcome outcome = batch_fetch_part(limbs, &a->store, 0, n * sizeof *limbs);
    int error = outcome == OUTCOME_DONE
                    ? number_become(r, value_of_limbs(r->value->queue, 1, limbs, n))
                    : array_fail(outcome);
    wipe_free(limbs, n * sizeof *limbs);
    return error;
}
