/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies arrays of mpz_t or of limbs to matrices and back (include/mpgpu.h). */
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "compat/matrix/matrix.h"
#include "lib/gmp/normalize.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"

/* Returns the bit length of the largest absolute value in u[0] to u[count - 1]. */
static uint64_t most_bits(const mpz_t *u, size_t count) {
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (mpz_size(u[i]) * GMP_NUMB_BITS > most) {
            const size_t bits = normalize_bits(u[i]->_mp_d, mpz_size(u[i]));
            most = bits > most ? bits : most;
        }
    return most;
}

/* Sets m to `count` numbers, not all 0, of at most `bits` bits. */
static int set(mpgpu_matrix *m, const mpz_t *u, size_t count, uint64_t bits) {
    mpgpu_batch *b = mpgpu_batch_create(count, job_entry_limbs(bits));
    const int error = b ? batch_set_mpz(b, u) : MPGPU_NO_MEMORY;
    if (error)
        mpgpu_batch_destroy(b);
    else
        matrix_replace(m, b, bits);
    return error;
}

EXPORT int mpgpu_matrix_set_mpz(mpgpu_matrix *m, const mpz_t *u) {
    call_init();
    const size_t count = m ? m->rows * m->columns : 0;
    if (!m || (!u && count))
        return batch_fail(MPGPU_ARGUMENTS);
    const uint64_t bits = most_bits(u, count);
    if (bits)
        return set(m, u, count, bits);
    matrix_replace(m, NULL, 0);
    return 0;
}

/* Returns the bit length of the largest absolute value of `count` entries of n limbs in two's
 * complement. */
static uint64_t most_bits_of_limbs(const mp_limb_t *up, size_t n, size_t count) {
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++, up += n) {
        const mp_limb_t fill = 0 - (up[n - 1] >> (GMP_NUMB_BITS - 1));
        size_t used = n;
        while (used > 0 && up[used - 1] == fill)
            used--;
        uint64_t bits =
            used ? used * GMP_NUMB_BITS - (uint64_t)__builtin_clzl(up[used - 1] ^ fill) : 0;
        /* `bits` is the bit length of -1 - x for a negative x. Only |x| = 2^bits is longer. */
        if (fill)
            bits += mpn_scan1(up, 0) == bits;
        most = bits > most ? bits : most;
    }
    return most;
}

/* Sets m to `count` entries of n limbs, not all 0, of at most `bits` bits. Truncates or extends
 * them to the length of the matrix's entries. */
static int set_limbs(mpgpu_matrix *m, const mp_limb_t *up, size_t n, size_t count, uint64_t bits) {
    const size_t to = job_entry_limbs(bits), least = to < n ? to : n;
    mpgpu_batch *b = mpgpu_batch_create(count, to);
    mp_limb_t *xp = b && to != n ? malloc(count * to * sizeof *xp) : NULL;
    int error = b && (xp || to == n) ? 0 : batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < count && xp; i++) {
        const mp_limb_t fill = 0 - (up[i * n + n - 1] >> (GMP_NUMB_BITS - 1));
        memcpy(xp + i * to, up + i * n, least * sizeof *xp);
        for (size_t k = least; k < to; k++)
            xp[i * to + k] = fill;
    }
    error = error ? error : mpgpu_batch_set(b, xp ? xp : up);
    wipe_free(xp, xp ? count * to * sizeof *xp : 0);
    if (error)
        mpgpu_batch_destroy(b);
    else
        matrix_replace(m, b, bits);
    return error;
}

EXPORT int mpgpu_matrix_set(mpgpu_matrix *m, const mp_limb_t *up, size_t n) {
    const size_t count = m ? m->rows * m->columns : 0;
    if (!m || (count && (!up || n == 0)))
        return batch_fail(MPGPU_ARGUMENTS);
    const uint64_t bits = count ? most_bits_of_limbs(up, n, count) : 0;
    if (bits)
        return set_limbs(m, up, n, count, bits);
    matrix_replace(m, NULL, 0);
    return 0;
}

EXPORT int mpgpu_matrix_get(mp_limb_t *rp, mpgpu_matrix *m) {
    const size_t count = m ? m->rows * m->columns : 0;
    if (!m || (count && !rp))
        return batch_fail(MPGPU_ARGUMENTS);
    if (m->entries)
        return mpgpu_batch_get(rp, m->entries);
    if (count)
        memset(rp, 0, count * sizeof *rp);
    return 0;
}

EXPORT int mpgpu_matrix_get_mpz(mpz_t *r, mpgpu_matrix *m) {
    call_init();
    const size_t count = m ? m->rows * m->columns : 0;
    if (!m || (!r && count))
        return batch_fail(MPGPU_ARGUMENTS);
    if (m->entries)
        return batch_get_mpz(r, m->entries, true);
    for (size_t i = 0; i < count; i++)
        r[i]->_mp_size = 0;
    return 0;
}
