/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli of batches (include/mpgpu.h). Constants that depend only on the modulus are computed
 * once. */
#include "compat/batch/modulus.h"

#include <stdlib.h>
#include <string.h>

#include "lib/memory/wipe.h"

/* Computes m->known, the constants of the moduli. Sets `kinds` to one limb for each modulus:
 * whether it is odd, even or zero, and with Barrett's method its zero bits above the highest 1. */
static int find(mpgpu_batch_modulus *m, mpgpu_batch *kinds) {
    if (!m->known || !kinds)
        return MPGPU_NO_MEMORY;
    return batch_task_perform(
        &(struct batch_task){.op = JOB_batch_mod_known,
                             .operands = 1,
                             .results = 2,
                             .u = {m->m},
                             .r = {m->known, [JOB_KINDS] = kinds},
                             .parameter = {[JOB_METHOD] = m->is_barrett ? JOB_BY_BARRETT : 0}});
}

/* Sets is_even and is_normal of m from `kinds`, one limb for each modulus. Fails if a modulus is
 * zero. */
static int judge(mpgpu_batch_modulus *m, const mp_limb_t *kinds, size_t count) {
    m->is_normal = m->is_barrett;
    for (size_t i = 0; i < count; i++) {
        if ((uint32_t)kinds[i] == MODULAR_IS_ZERO)
            return batch_fail(MPGPU_DIVIDE_BY_ZERO);
        m->is_even = m->is_even || (uint32_t)kinds[i] == MODULAR_IS_EVEN;
        m->is_normal = m->is_normal && kinds[i] >> 32 == 0;
    }
    return 0;
}

/* Computes the constants of m on the device, otherwise by GMP. Fails if a modulus is zero. */
static int know(mpgpu_batch_modulus *m, bool is_barrett) {
    size_t count = m->m->count;
    mp_limb_t *limbs = malloc(count * sizeof *limbs);
    mpgpu_batch *kinds = mpgpu_batch_create(count, 1);
    mpgpu_batch_destroy(m->known);
    m->known = mpgpu_batch_create(count, job_known_limbs(m->m->n, is_barrett));
    m->is_barrett = is_barrett;
    int error = limbs ? find(m, kinds) : batch_fail(MPGPU_NO_MEMORY);
    if (!error)
        error = mpgpu_batch_get(limbs, kinds);
    if (!error)
        error = judge(m, limbs, count);
    mpgpu_batch_destroy(kinds);
    free(limbs);
    return error;
}

/* Used for moduli that are too long for the device: sets m->is_even on the host, and fails if a
 * modulus is zero. */
static int know_little(mpgpu_batch_modulus *m) {
    size_t n = m->m->n, size = batch_size(m->m);
    mp_limb_t *limbs = malloc(size * sizeof *limbs);
    int error = limbs ? mpgpu_batch_get(limbs, m->m) : batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < m->m->count && !error; i++) {
        mp_limb_t bits = 0, *mp = limbs + i * n;
        for (size_t k = 0; k < n; k++)
            bits |= mp[k];
        mp[0] = *mp & 1 ? MODULAR_IS_ODD : bits ? MODULAR_IS_EVEN : MODULAR_IS_ZERO;
        error = judge(m, mp, 1);
    }
    wipe_free(limbs, size * sizeof *limbs);
    return error;
}

/* Computes the constants of m. Chooses Barrett's method for long or even moduli, otherwise
 * Montgomery's. */
static int know_all(mpgpu_batch_modulus *m) {
    const size_t words = 2 * m->m->n;
    if (words > BARRETT_MOST_WORDS)
        return know_little(m);
    int error = know(m, words > MODULAR_MOST_WORDS);
    return error || m->is_barrett || !m->is_even ? error : know(m, true);
}

/* Computes m again from its host copy. */
static int renew(mpgpu_batch_modulus *m) {
    const int error = mpgpu_batch_set(m->m, m->limbs);
    return error ? error : know_all(m);
}

bool modulus_is_renewed(mpgpu_batch_modulus *m) {
    bool is_lost = m->m->where == BATCH_LOST || (m->known && m->known->where == BATCH_LOST);
    return is_lost && renew(m) == 0;
}

/* Allocates m->m. Copies the numbers of `from` to m->limbs. */
static int copy(mpgpu_batch_modulus *m, mpgpu_batch *from) {
    m->m = mpgpu_batch_create(from->count, from->n);
    m->limbs = malloc(batch_size(from) * sizeof *m->limbs);
    if (!m->m || !m->limbs)
        return batch_fail(MPGPU_NO_MEMORY);
    return mpgpu_batch_get(m->limbs, from);
}

/* Computes m from the batch `from`. If the device fails, computes m again from the host copy. */
static int compute(mpgpu_batch_modulus *m, mpgpu_batch *from) {
    unsigned failures = 0;
    int error = mpgpu_batch_sum(m->m, NULL, &from, 1, 0);
    if (!error)
        error = know_all(m);
    while (batch_is_repeated(error, &failures))
        error = renew(m);
    return error;
}

EXPORT mpgpu_batch_modulus *mpgpu_batch_modulus_create(mpgpu_batch *from) {
    mpgpu_batch_modulus *m = from ? calloc(1, sizeof *m) : NULL;
    if (!m) {
        batch_fail(from ? MPGPU_NO_MEMORY : MPGPU_ARGUMENTS);
        return NULL;
    }
    int error = copy(m, from);
    if (!error)
        error = compute(m, from);
    if (!error)
        return m;
    mpgpu_batch_modulus_destroy(m);
    return NULL;
}

EXPORT void mpgpu_batch_modulus_destroy(mpgpu_batch_modulus *m) {
    if (!m)
        return;
    wipe_free(m->limbs, m->limbs && m->m ? batch_size(m->m) * sizeof *m->limbs : 0);
    mpgpu_batch_destroy(m->m);
    mpgpu_batch_destroy(m->known);
    free(m);
}
