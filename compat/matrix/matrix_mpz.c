/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies arrays of mpz_t or of limbs to matrices and back (include/mpgpu.h). Several threads copy
 * the limbs. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "compat/matrix/matrix.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"
#include "lib/process/thread_pool.h"

/* `count` entries of n limbs in two's complement at xp, which are copied from the mpz_t at `from`,
 * or to the mpz_t at `to`. `sign` has the sign of each entry, for `to`. */
struct entries {
    size_t count, n;
    mp_limb_t *xp;
    const mpz_t *from;
    mpz_t *to;
};

static size_t bytes_of(const struct entries *e) {
    return e->count * e->n * sizeof *e->xp;
}

static size_t size_of(mpz_srcptr x) {
    return (size_t)abs(x->_mp_size);
}

/* Returns the most bits of an absolute value. */
static uint64_t most_bits(const mpz_t *u, size_t count) {
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (size_of(u[i]) * GMP_NUMB_BITS > most) {
            const size_t bits = normalize_bits(u[i]->_mp_d, size_of(u[i]));
            most = bits > most ? bits : most;
        }
    return most;
}

static void copy_in(void *context, size_t first, size_t end) {
    const struct entries *e = context;
    for (size_t i = first; i < end; i++) {
        mp_limb_t *xp = e->xp + i * e->n;
        normalize_pad(xp, e->n, e->from[i]);
        if (e->from[i]->_mp_size < 0)
            mpn_neg(xp, xp, (mp_size_t)e->n);
    }
}

/* Sets m to `count` numbers, not all 0, of at most `bits` bits. */
static int set(mpgpu_matrix *m, const mpz_t *u, size_t count, uint64_t bits) {
    struct entries e = {.count = count, .n = job_entry_limbs(bits), .from = u};
    mpgpu_batch *b = mpgpu_batch_create(count, e.n);
    e.xp = b ? malloc(bytes_of(&e)) : NULL;
    int error = e.xp ? 0 : batch_fail(MPGPU_NO_MEMORY);
    if (!error) {
        thread_pool_loop(count, bytes_of(&e), copy_in, &e);
        error = mpgpu_batch_set(b, e.xp);
    }
    wipe_free(e.xp, e.xp ? bytes_of(&e) : 0);
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

/* Returns the bits of the longest of `count` entries of n limbs, without signs: |x| <= 2^bits. */
static uint64_t most_bits_of_limbs(const mp_limb_t *up, size_t n, size_t count) {
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++, up += n) {
        const mp_limb_t fill = 0 - (up[n - 1] >> (GMP_NUMB_BITS - 1));
        size_t used = n;
        while (used > 0 && up[used - 1] == fill)
            used--;
        const mp_limb_t top = used ? up[used - 1] ^ fill : 0;
        const uint64_t bits =
            used ? used * GMP_NUMB_BITS - (top ? (uint64_t)__builtin_clzl(top) : 0) : fill & 1;
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

/* ---- from a matrix to mpz_t */

/* Replaces negative entries by their absolute values; notes their signs in the sizes of e->to,
 * which have enough limbs. */
static void copy_out(void *context, size_t first, size_t end) {
    const struct entries *e = context;
    for (size_t i = first; i < end; i++) {
        mp_limb_t *xp = e->xp + i * e->n;
        const bool is_negative = xp[e->n - 1] >> (GMP_NUMB_BITS - 1);
        if (is_negative)
            mpn_neg(xp, xp, (mp_size_t)e->n);
        const size_t size = normalize(xp, e->n);
        memcpy(e->to[i]->_mp_d, xp, size * sizeof *xp);
        e->to[i]->_mp_size = is_negative ? -(int)size : (int)size;
    }
}

/* Returns an upper bound of the limbs of the absolute value of {xp, n}. */
static size_t limbs_of_absolute(const mp_limb_t *xp, size_t n) {
    const mp_limb_t fill = 0 - (xp[n - 1] >> (GMP_NUMB_BITS - 1));
    while (n > 0 && xp[n - 1] == fill)
        n--;
    return fill ? n + 1 : n;
}

/* Allocates the limbs of each result. Only the calling thread does this, because the program's
 * allocation functions may leave by longjmp. */
static void resize(const struct entries *e) {
    for (size_t i = 0; i < e->count; i++) {
        mpz_ptr to = e->to[i];
        const size_t size = limbs_of_absolute(e->xp + i * e->n, e->n);
        to->_mp_size = 0;
        if ((size_t)to->_mp_alloc < size) {
            mpz_clear(to); /* so that the reallocation copies no old limbs */
            memory_init(to, size);
        }
    }
}

static int get(mpz_t *r, mpgpu_matrix *m, size_t count) {
    struct entries e = {.count = count, .n = m->entries->n, .to = r};
    e.xp = malloc(bytes_of(&e));
    const int error = e.xp ? mpgpu_batch_get(e.xp, m->entries) : batch_fail(MPGPU_NO_MEMORY);
    if (!error) {
        resize(&e);
        thread_pool_loop(count, bytes_of(&e), copy_out, &e);
    }
    wipe_free(e.xp, e.xp ? bytes_of(&e) : 0);
    return error;
}

EXPORT int mpgpu_matrix_get_mpz(mpz_t *r, mpgpu_matrix *m) {
    call_init();
    const size_t count = m ? m->rows * m->columns : 0;
    if (!m || (!r && count) || (m->entries && m->entries->n > INT_MAX))
        return batch_fail(MPGPU_ARGUMENTS);
    if (m->entries)
        return get(r, m, count);
    for (size_t i = 0; i < count; i++)
        r[i]->_mp_size = 0;
    return 0;
}
