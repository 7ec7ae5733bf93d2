/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies arrays of mpz_t to batches and back (include/mpgpu.h). Several threads copy the limbs.
 * Uploads and downloads go through page-locked memory, one piece of the array at a time. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "compat/batch/shards.h"
#include "compat/intercept/call.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/memory/pool.h"
#include "lib/memory/wipe.h"
#include "lib/process/thread_pool.h"

/* Maximum number of limbs in a piece of the array. A number with more limbs forms a piece alone. */
enum { PIECE_LIMBS = 1 << 22 };

/* A piece of an array: `count` numbers of n limbs at xp, in two's complement if is_signed. The
 * numbers are copied from `from` to xp, or from xp to `to`. */
struct piece {
    size_t count, n;
    bool is_signed;
    mp_limb_t *xp;
    const mpz_t *from;
    mpz_t *to;
};

static size_t piece_bytes(const struct piece *p) {
    return p->count * p->n * sizeof *p->xp;
}

/* ---- memory for pieces: page-locked if possible */

static mp_limb_t *scratch_alloc(size_t bytes) {
    mp_limb_t *xp = pool_alloc(bytes);
    return xp ? xp : malloc(bytes);
}

static void scratch_free(mp_limb_t *xp, size_t bytes) {
    if (!xp || !pool_owns(xp)) {
        wipe_free(xp, bytes);
        return;
    }
    wipe(xp, bytes);
    pool_free(xp);
}

static size_t numbers_of_piece(const mpgpu_batch *b) {
    size_t most = b->n < PIECE_LIMBS ? PIECE_LIMBS / b->n : 1;
    return min_u64(most, b->count);
}

/* ---- from mpz_t to a batch */

static void copy_in(void *context, size_t first, size_t end) {
    const struct piece *p = context;
    for (size_t i = first; i < end; i++) {
        mp_limb_t *xp = p->xp + i * p->n;
        normalize_pad(xp, p->n, p->from[i]);
        if (p->from[i]->_mp_size < 0)
            mpn_neg(xp, xp, (mp_size_t)p->n);
    }
}

static int check(const mpgpu_batch *r, const mpz_t *up) {
    if (!r || !up)
        return batch_fail(MPGPU_ARGUMENTS);
    for (size_t i = 0; i < r->count; i++) {
        if (mpz_sgn(up[i]) < 0)
            return batch_fail_at(i, "is negative");
        if (mpz_size(up[i]) > r->n)
            return batch_fail_at(i, "has more limbs than the batch's");
    }
    return 0;
}

static void take_in(struct piece p) {
    thread_pool_loop(p.count, piece_bytes(&p), copy_in, &p);
}

/* Uploads the numbers at `up` to the device memory of r, `most` numbers at a time. xp is host
 * memory for `most` numbers. */
static enum outcome upload_pieces(mpgpu_batch *r, const mpz_t *up, mp_limb_t *xp, size_t most) {
    enum outcome outcome = OUTCOME_DONE;
    for (size_t i = 0; i < r->count && outcome == OUTCOME_DONE; i += most) {
        struct piece p = {
            .count = min_u64(most, r->count - i), .n = r->n, .xp = xp, .from = up + i};
        take_in(p);
        outcome = batch_fill_part(&r->store, i * r->n * sizeof *xp, xp, piece_bytes(&p));
    }
    return outcome;
}

static enum outcome upload_here(mpgpu_batch *r, const mpz_t *up) {
    size_t most = numbers_of_piece(r), bytes = most * r->n * sizeof(mp_limb_t);
    enum outcome outcome = batch_reserve(&r->store, batch_size(r) * sizeof(mp_limb_t));
    mp_limb_t *xp = outcome == OUTCOME_DONE ? scratch_alloc(bytes) : NULL;
    if (xp)
        outcome = upload_pieces(r, up, xp, most);
    else if (outcome == OUTCOME_DONE)
        outcome = OUTCOME_MEMORY;
    scratch_free(xp, bytes);
    if (outcome == OUTCOME_DONE)
        batch_is_on_device(r);
    else
        batch_free(&r->store);
    return outcome;
}

/* Uploads the numbers to several devices, one device after the other. Parallel uploads would gain
 * nothing, because the same threads copy the limbs for every device. */
static enum outcome upload_shards(mpgpu_batch *r, const struct batch_cut *cut, const mpz_t *up) {
    enum outcome outcome = shards_prepare(r, cut) ? OUTCOME_DONE : OUTCOME_MEMORY;
    for (unsigned j = 0; j < cut->shards && outcome == OUTCOME_DONE; j++) {
        int before = session_bind(cut->device[j]);
        outcome = upload_here(&r->shards->shard[j], up + cut->first[j]);
        session_bind(before);
    }
    if (outcome == OUTCOME_DONE)
        shards_arrive(r);
    else
        shards_forget(r);
    return outcome;
}

static enum outcome upload(mpgpu_batch *r, const mpz_t *up) {
    struct batch_cut cut;
    return shards_plan(&cut, r->count, batch_size(r)) ? upload_shards(r, &cut, up)
                                                      : upload_here(r, up);
}

int batch_set_mpz(mpgpu_batch *r, const mpz_t *up) {
    if (call_is_large(batch_size(r), &thresholds.batch)) {
        /* Until the upload is complete, r is invalid: a signal handler may leave this call by
         * longjmp. */
        r->where = BATCH_LOST;
        if (upload(r, up) == OUTCOME_DONE)
            return 0;
    }
    struct piece p = {.count = r->count, .n = r->n, .from = up};
    p.xp = malloc(piece_bytes(&p));
    if (!p.xp) {
        r->where = r->limbs ? BATCH_ON_HOST : BATCH_LOST;
        return batch_fail(MPGPU_NO_MEMORY);
    }
    take_in(p);
    batch_is_on_host(r, p.xp);
    return 0;
}

EXPORT int mpgpu_batch_set_mpz(mpgpu_batch *r, const mpz_t *up) {
    const int error = check(r, up);
    return error ? error : batch_set_mpz(r, up);
}

/* ---- from a batch to mpz_t */

static void copy_out(void *context, size_t first, size_t end) {
    const struct piece *p = context;
    for (size_t i = first; i < end; i++) {
        const mp_limb_t *xp = p->xp + i * p->n;
        if (p->to[i]->_mp_size < 0)
            mpn_neg(p->to[i]->_mp_d, xp, -p->to[i]->_mp_size);
        else
            memcpy(p->to[i]->_mp_d, xp, mpz_size(p->to[i]) * sizeof *xp);
    }
}

/* Returns the number of limbs of |x| for a negative x = {xp, n} in two's complement. |x| can need
 * one limb more than x without its high limbs of ones: for example x = -2^64. */
static size_t size_of_negative(const mp_limb_t *xp, size_t n) {
    while (n > 0 && xp[n - 1] == ~(mp_limb_t)0)
        n--;
    return n + (normalize(xp, n) == 0);
}

/* Sets the size of each result and allocates its limbs. Only the calling thread does this, because
 * the program's allocation functions may leave by longjmp. */
static void resize(const struct piece *p) {
    for (size_t i = 0; i < p->count; i++) {
        mpz_ptr to = p->to[i];
        const mp_limb_t *xp = p->xp + i * p->n;
        const bool is_negative = p->is_signed && xp[p->n - 1] >> (GMP_NUMB_BITS - 1);
        const size_t size = is_negative ? size_of_negative(xp, p->n) : normalize(xp, p->n);
        to->_mp_size = 0;
        if ((size_t)to->_mp_alloc < size) {
            mpz_clear(to); /* freed first, so that the reallocation copies no old limbs */
            memory_init(to, size);
        }
        to->_mp_size = is_negative ? -(int)size : (int)size;
    }
}

static void take_out(struct piece p) {
    resize(&p);
    thread_pool_loop(p.count, piece_bytes(&p), copy_out, &p);
}

static enum outcome download_pieces(mpz_t *rp, const mpgpu_batch *u, bool is_signed, mp_limb_t *xp,
                                    size_t most) {
    enum outcome outcome = OUTCOME_DONE;
    uint64_t residue = 0;
    for (size_t i = 0; i < u->count && outcome == OUTCOME_DONE; i += most) {
        struct piece p = {min_u64(most, u->count - i), u->n, is_signed, xp, .to = rp + i};
        const size_t at = i * u->n * sizeof *xp;
        outcome = batch_fetch_part(xp, &u->store, at, piece_bytes(&p));
        if (outcome == OUTCOME_DONE && u->store.is_kept)
            residue = batch_add_residues(residue, batch_residue(xp, at, piece_bytes(&p)));
        if (outcome == OUTCOME_DONE)
            take_out(p);
    }
    return outcome == OUTCOME_DONE && !batch_is_kept(&u->store, residue) ? OUTCOME_FAILED : outcome;
}

static enum outcome download_here(mpz_t *rp, const mpgpu_batch *u, bool is_signed) {
    size_t most = numbers_of_piece(u), bytes = most * u->n * sizeof(mp_limb_t);
    mp_limb_t *xp = scratch_alloc(bytes);
    if (!xp)
        return OUTCOME_MEMORY;
    enum outcome outcome = download_pieces(rp, u, is_signed, xp, most);
    scratch_free(xp, bytes);
    return outcome;
}

static enum outcome download(mpz_t *rp, const mpgpu_batch *u, bool is_signed) {
    enum outcome outcome = OUTCOME_DONE;
    if (u->where == BATCH_ON_DEVICE)
        return download_here(rp, u, is_signed);
    for (unsigned j = 0; j < u->shards->cut.shards && outcome == OUTCOME_DONE; j++)
        outcome = download_here(rp + u->shards->cut.first[j], &u->shards->shard[j], is_signed);
    return outcome;
}

int batch_get_mpz(mpz_t *rp, mpgpu_batch *u, bool is_signed) {
    call_init();
    if (!rp || !u || u->n > INT_MAX)
        return batch_fail(MPGPU_ARGUMENTS);
    if (u->where == BATCH_ZERO) {
        for (size_t i = 0; i < u->count; i++)
            rp[i]->_mp_size = 0;
        return 0;
    }
    if (mpgpu_batch_on_device(u) && download(rp, u, is_signed) == OUTCOME_DONE)
        return 0;
    /* If the download failed, downloads again: the device may recover from a fault. */
    int error = batch_to_host(u);
    if (error)
        return error;
    take_out((struct piece){u->count, u->n, is_signed, u->limbs, .to = rp});
    return 0;
}

EXPORT int mpgpu_batch_get_mpz(mpz_t *rp, mpgpu_batch *u) {
    return batch_get_mpz(rp, u, false);
}
