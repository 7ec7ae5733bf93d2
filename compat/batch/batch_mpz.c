/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies arrays of mpz_t to batches and back (include/mpgpu.h). Several threads copy the limbs.
 * Uploads and downloads go through page-locked memory if possible, one piece of the array at a
 * time. */
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compat/batch/shards.h"
#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/memory/nt_copy.h"
#include "lib/memory/pool.h"
#include "lib/memory/wipe.h"
#include "lib/process/thread_pool.h"

/* PIECE_LIMBS: the most limbs in a piece of the array. A number with more limbs forms a piece
 * alone. BLOCK_LIMBS: short numbers are copied by blocks of at most BLOCK_LIMBS limbs, which stay
 * in a CPU's first cache. AHEAD_LIMBS: how far ahead of the copy the numbers' limbs are prefetched.
 */
enum { PIECE_LIMBS = 1 << 21, BLOCK_LIMBS = 512, AHEAD_LIMBS = 1024, LINE_LIMBS = 8 };

/* A piece of an array: `count` numbers of n limbs at xp, in two's complement if is_signed. The
 * numbers are copied from `from` to xp, or from xp to `to`. */
struct piece {
    size_t count, n;
    size_t first; /* index in the batch of the piece's first number */
    bool is_signed;
    mp_limb_t *xp;
    const mpz_t *from;
    mpz_t *to;
};

static size_t piece_bytes(const struct piece *p) {
    return p->count * p->n * sizeof *p->xp;
}

/* A copy between an array and a batch. While pool threads copy the numbers of `now`, the calling
 * thread uploads or downloads the piece `other`. */
struct copy {
    struct piece now, other;
    struct batch_store *store; /* NULL if the batch is on the host */
    enum outcome outcome;      /* of the transfers so far */
    bool has_residues;         /* the residues of the pieces are summed, modulo w->q.m */
    struct limbs_weights own;
    const struct limbs_weights *w; /* the program's table, or &own */
    uint64_t block;                /* 2^(64 limbs of a block) modulo w->q.m, in Montgomery form */
    _Atomic(uint64_t) residue;
    atomic_bool is_short; /* results without enough memory were left out */
};

static size_t numbers_of_block(size_t n) {
    return n < BLOCK_LIMBS ? BLOCK_LIMBS / n : 1;
}

static void begin_copy(struct copy *c, struct batch_store *store, size_t n, bool has_residues) {
    *c = (struct copy){.store = store, .outcome = OUTCOME_DONE, .has_residues = has_residues};
    if (has_residues) {
        c->w = limbs_weights_of(tables_check_modulus(), BLOCK_LIMBS, &c->own);
        c->block = modulus_power_of_words(2 * numbers_of_block(n) * n, c->w->q);
    }
}

/* Adds `residue` 2^(64 n k) to the sum, for number i of the piece, which is number k of the batch.
 */
static void add_residue(struct copy *c, uint64_t residue, size_t i) {
    const size_t at = (c->now.first + i) * c->now.n;
    const struct check_modulus q = c->w->q;
    const uint64_t r = limbs_residue_shifted(residue, at, q);
    uint64_t sum = atomic_load(&c->residue);
    while (!atomic_compare_exchange_weak(&c->residue, &sum, residue_plus(sum, r, q.m)))
        ;
}

/* Returns `residue` c->block + {x, n} modulo c->w->q.m. */
static uint64_t residue_with_block(const struct copy *c, uint64_t residue, const mp_limb_t *x,
                                   size_t n) {
    const struct check_modulus q = c->w->q;
    return residue_plus(residue_product(residue, c->block, q.m, q.minv),
                        limbs_residue_of_block(x, n, c->w), q.m);
}

/* Calls `work` for each block of the numbers `first` to `end` - 1, from the highest numbers down.
 * `work` copies numbers first to first + count - 1, and returns an address of their limbs, whose
 * residue this function adds to the sum. */
static void copy_blocks(struct copy *c, size_t first, size_t end,
                        const mp_limb_t *(*work)(struct copy *c, size_t first, size_t count,
                                                 mp_limb_t *block)) {
    mp_limb_t block[BLOCK_LIMBS];
    const size_t most = numbers_of_block(c->now.n);
    uint64_t residue = 0;
    for (size_t count = (end - first - 1) % most + 1; end > first; end -= count, count = most) {
        const mp_limb_t *x = work(c, end - count, count, block);
        if (c->has_residues)
            residue = residue_with_block(c, residue, x, count * c->now.n);
    }
    if (c->has_residues)
        add_residue(c, residue, first);
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

/* Prefetches a number that is copied some blocks later. Without this, each short number costs the
 * latency of the memory. */
static void prefetch(const mp_limb_t *xp, size_t n) {
    for (size_t i = 0; i < n; i += LINE_LIMBS)
        __builtin_prefetch(xp + i);
}

/* Returns how many numbers ahead of the copy limbs are prefetched; 0 if the numbers are long. */
static size_t numbers_ahead(size_t n) {
    return n <= BLOCK_LIMBS ? AHEAD_LIMBS / n : 0;
}

static size_t numbers_of_piece(const mpgpu_batch *b) {
    size_t most = b->n < PIECE_LIMBS ? PIECE_LIMBS / b->n : 1;
    return min_u64(most, b->count);
}

/* Returns the bytes of host memory for a copy in pieces: two pieces, or one if that is all. */
static size_t scratch_bytes(const mpgpu_batch *b, size_t most) {
    return (most < b->count ? 2 : 1) * most * b->n * sizeof(mp_limb_t);
}

/* ---- from mpz_t to a batch */

static const mp_limb_t *copy_block_in(struct copy *c, size_t first, size_t count,
                                      mp_limb_t *block) {
    const struct piece *p = &c->now;
    const size_t n = p->n, ahead = numbers_ahead(n), bytes = count * n * sizeof(mp_limb_t);
    mp_limb_t *xp = p->xp + first * n, *to = n <= BLOCK_LIMBS ? block : xp;
    for (size_t i = 0; i < count; i++) {
        const mpz_t *x = &p->from[first + i];
        if (ahead > 0 && first + i >= ahead)
            prefetch((x - ahead)[0]->_mp_d, n);
        normalize_pad(to + i * n, n, *x);
        if (mpz_sgn(*x) < 0)
            mpn_neg(to + i * n, to + i * n, (mp_size_t)n);
    }
    if (to == block && c->store)
        nt_store((char *)xp, (const char *)block, bytes);
    else if (to == block)
        memcpy(xp, block, bytes);
    return to;
}

static void copy_in(void *copy, size_t first, size_t end) {
    copy_blocks(copy, first, end, copy_block_in);
    nt_fence();
}

struct checking {
    const mpgpu_batch *r;
    const mpz_t *up;
    atomic_size_t bad; /* the least index of a number that the batch cannot have */
};

static bool is_bad(const struct checking *c, size_t i) {
    return mpz_sgn(c->up[i]) < 0 || mpz_size(c->up[i]) > c->r->n;
}

static void find_bad(void *checking, size_t first, size_t end) {
    struct checking *c = checking;
    size_t i = first, bad = atomic_load(&c->bad);
    while (i < end && !is_bad(c, i))
        i++;
    while (i < end && i < bad && !atomic_compare_exchange_weak(&c->bad, &bad, i))
        ;
}

static int check(const mpgpu_batch *r, const mpz_t *up) {
    if (!r || !up)
        return batch_fail(MPGPU_ARGUMENTS);
    struct checking c = {.r = r, .up = up, .bad = SIZE_MAX};
    thread_pool_loop(r->count, r->count * sizeof *up, find_bad, &c);
    if (c.bad == SIZE_MAX)
        return 0;
    return batch_fail_at(c.bad, mpz_sgn(up[c.bad]) < 0 ? "is negative"
                                                       : "has more limbs than the batch's");
}

/* Uploads the piece `other`, if there is one. */
static void upload_other(void *copy) {
    struct copy *c = copy;
    const struct piece *p = &c->other;
    if (c->outcome == OUTCOME_DONE && p->count > 0)
        c->outcome = batch_write(c->store, p->first * p->n * sizeof *p->xp, p->xp, piece_bytes(p));
}

/* Copies the numbers of c->now to c->now.xp, and uploads c->other during the copy. */
static void take_in(struct copy *c) {
    thread_pool_loop_beside(c->now.count, piece_bytes(&c->now), copy_in, upload_other, c);
}

/* Uploads the numbers at `up` to the device memory of r, `most` numbers at a time. xp is host
 * memory of scratch_bytes(r, most) bytes. */
static enum outcome upload_pieces(mpgpu_batch *r, const mpz_t *up, mp_limb_t *xp, size_t most) {
    struct copy c;
    begin_copy(&c, &r->store, r->n, mpgpu_conf.verify != VERIFY_OFF);
    size_t half = 0;
    for (size_t i = 0; i < r->count && c.outcome == OUTCOME_DONE; i += most, half ^= 1) {
        c.other = c.now;
        c.now = (struct piece){.count = min_u64(most, r->count - i),
                               .n = r->n,
                               .first = i,
                               .xp = xp + half * most * r->n,
                               .from = up + i};
        take_in(&c);
    }
    c.other = c.now;
    upload_other(&c);
    batch_keep(&r->store, c.residue);
    return c.outcome;
}

static enum outcome upload_here(mpgpu_batch *r, const mpz_t *up) {
    size_t most = numbers_of_piece(r), bytes = scratch_bytes(r, most);
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
    struct copy c;
    begin_copy(&c, NULL, r->n, false);
    c.now = (struct piece){.count = r->count, .n = r->n, .from = up};
    c.now.xp = malloc(piece_bytes(&c.now));
    if (!c.now.xp) {
        r->where = r->limbs ? BATCH_ON_HOST : BATCH_LOST;
        return batch_fail(MPGPU_NO_MEMORY);
    }
    take_in(&c);
    batch_is_on_host(r, c.now.xp);
    return 0;
}

EXPORT int mpgpu_batch_set_mpz(mpgpu_batch *r, const mpz_t *up) {
    const int error = check(r, up);
    return error ? error : batch_set_mpz(r, up);
}

/* ---- from a batch to mpz_t */

/* Returns the number of limbs of |x| for a negative x = {xp, n} in two's complement. |x| can need
 * one limb more than x without its high limbs of ones: for example x = -2^64. */
static size_t size_of_negative(const mp_limb_t *xp, size_t n) {
    while (n > 0 && xp[n - 1] == ~(mp_limb_t)0)
        n--;
    return n + (normalize(xp, n) == 0);
}

/* Returns the number {xp, n} as a size of an mpz_t: limbs, negative for a negative number. */
static int size_of(const struct piece *p, const mp_limb_t *xp) {
    if (p->is_signed && xp[p->n - 1] >> (GMP_NUMB_BITS - 1))
        return -(int)size_of_negative(xp, p->n);
    return (int)normalize(xp, p->n);
}

/* Copies a number. If `to` has too few limbs, sets it to 0 and returns false. */
static bool copy_number_out(mpz_ptr to, const struct piece *p, const mp_limb_t *xp) {
    const int size = size_of(p, xp);
    const bool has_memory = abs(size) <= to->_mp_alloc;
    to->_mp_size = has_memory ? size : 0;
    if (to->_mp_size < 0)
        mpn_neg(to->_mp_d, xp, -to->_mp_size);
    else
        memcpy(to->_mp_d, xp, mpz_size(to) * sizeof *xp);
    return has_memory;
}

static const mp_limb_t *copy_block_out(struct copy *c, size_t first, size_t count,
                                       mp_limb_t *unused) {
    const struct piece *p = &c->now;
    const size_t n = p->n, ahead = numbers_ahead(n);
    const mp_limb_t *xp = p->xp + first * n;
    bool is_short = false;
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        mpz_t *to = &p->to[first + i];
        if (ahead > 0 && first + i >= ahead) {
            prefetch(xp + i * n - ahead * n, n);
            prefetch((to - ahead)[0]->_mp_d, n);
        }
        is_short |= !copy_number_out(*to, p, xp + i * n);
    }
    if (is_short)
        atomic_store(&c->is_short, true);
    return xp;
}

static void copy_out(void *copy, size_t first, size_t end) {
    copy_blocks(copy, first, end, copy_block_out);
}

/* Allocates limbs for the results that have too few. Only the calling thread does this, because
 * the program's allocation functions may leave by longjmp. */
static void resize(const struct piece *p) {
    for (size_t i = 0; i < p->count; i++) {
        const int size = abs(size_of(p, p->xp + i * p->n));
        mpz_ptr to = p->to[i];
        if (to->_mp_alloc < size) {
            mpz_clear(to); /* freed first, so that the reallocation copies no old limbs */
            memory_init(to, (size_t)size);
        }
    }
}

/* Downloads the piece `other`, if there is one. */
static void download_other(void *copy) {
    struct copy *c = copy;
    const struct piece *p = &c->other;
    if (p->count > 0)
        c->outcome =
            batch_fetch_part(p->xp, c->store, p->first * p->n * sizeof *p->xp, piece_bytes(p));
}

/* Copies the numbers of c->now to the array, and downloads c->other during the copy. */
static void take_out(struct copy *c) {
    atomic_store(&c->is_short, false);
    thread_pool_loop_beside(c->now.count, piece_bytes(&c->now), copy_out, download_other, c);
    if (!atomic_load(&c->is_short))
        return;
    const bool has_residues = c->has_residues;
    resize(&c->now);
    c->has_residues = false; /* each residue is added once */
    thread_pool_loop(c->now.count, piece_bytes(&c->now), copy_out, c);
    c->has_residues = has_residues;
}

/* Returns the piece of u from number `first` on: at most `most` numbers, with their limbs at xp. */
static struct piece piece_at(mpz_t *rp, const mpgpu_batch *u, bool is_signed, size_t first,
                             size_t most, mp_limb_t *xp) {
    return (struct piece){.count = min_u64(most, u->count - first),
                          .n = u->n,
                          .first = first,
                          .is_signed = is_signed,
                          .xp = xp,
                          .to = rp + first};
}

/* Downloads the numbers of u to the array, `most` numbers at a time. xp is host memory of
 * scratch_bytes(u, most) bytes. */
static enum outcome download_pieces(mpz_t *rp, mpgpu_batch *u, bool is_signed, mp_limb_t *xp,
                                    size_t most) {
    struct copy c;
    begin_copy(&c, &u->store, u->n, u->store.is_kept);
    size_t half = 0;
    c.other = piece_at(rp, u, is_signed, 0, most, xp);
    download_other(&c);
    while (c.other.count > 0 && c.outcome == OUTCOME_DONE) {
        c.now = c.other;
        half ^= 1;
        c.other =
            piece_at(rp, u, is_signed, c.now.first + c.now.count, most, xp + half * most * u->n);
        take_out(&c);
    }
    return c.outcome == OUTCOME_DONE && !batch_is_kept(&u->store, c.residue) ? OUTCOME_FAILED
                                                                             : c.outcome;
}

static enum outcome download_here(mpz_t *rp, mpgpu_batch *u, bool is_signed) {
    size_t most = numbers_of_piece(u), bytes = scratch_bytes(u, most);
    mp_limb_t *xp = scratch_alloc(bytes);
    if (!xp)
        return OUTCOME_MEMORY;
    enum outcome outcome = download_pieces(rp, u, is_signed, xp, most);
    scratch_free(xp, bytes);
    return outcome;
}

static enum outcome download(mpz_t *rp, mpgpu_batch *u, bool is_signed) {
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
    struct copy c;
    begin_copy(&c, NULL, u->n, false);
    c.now = piece_at(rp, u, is_signed, 0, u->count, u->limbs);
    take_out(&c);
    return 0;
}

EXPORT int mpgpu_batch_get_mpz(mpz_t *rp, mpgpu_batch *u) {
    return batch_get_mpz(rp, u, false);
}
