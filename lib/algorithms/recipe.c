/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes recipes (functions of lib/calc) on the host: numbers are limbs in one block of scratch
 * memory. */
#include "lib/algorithms/recipe.h"

#include <string.h>

#include "lib/algorithms/composite.h"
#include "lib/algorithms/scratch.h"
#include "lib/dispatch/dispatch.h"
#include "lib/gmp/normalize.h"
#include "lib/job/engine.h"

/* ---- products and sums modulo 2^(64 n) - 1 */

/* Returns an n, least <= n < un + vn, for which a product of un by vn limbs takes less time modulo
 * 2^(64 n) - 1 than as a whole. Returns 0 if it finds none. */
static size_t mulmod_bnm1_size(size_t least, size_t un, size_t vn) {
    const _Atomic size_t *threshold = &thresholds.mul;
    return thresholds_is_small(min_u64(un, vn), threshold) ? 0 : engine_bnm1_size(least, un, vn);
}

/* {rp, n} += {xp, xn} modulo 2^(64 n) - 1; n >= xn >= 1; rp and xp do not overlap. */
static void add_residues(mp_ptr rp, size_t n, mp_srcptr xp, size_t xn) {
    mp_limb_t carry = mpn_add(rp, rp, (mp_size_t)n, xp, (mp_size_t)xn);
    /* Cannot overflow: after a carry out of the sum, rp <= 2^(64 n) - 2. */
    mpn_add_1(rp, rp, (mp_size_t)n, carry);
}

/* {rp, n} = {up, un} * {vp, vn} modulo 2^(64 n) - 1, for an n that mulmod_bnm1_size returned. rp
 * overlaps neither operand, and has room for un + vn limbs. */
static void mulmod_bnm1_mul(struct composite *w, mp_ptr rp, size_t n, mp_srcptr up, size_t un,
                            mp_srcptr vp, size_t vn) {
    mp_limb_t top;
    struct dispatch_call call;
    enum outcome outcome = dispatch_begin(&call, &thresholds.mulmod, n, un + vn);
    if (outcome == OUTCOME_DONE)
        outcome = limbs_mulmod(LIMBS_MULMOD_BNM1, rp, n, up, un, vp, vn, &top);
    if (outcome != OUTCOME_DONE) {
        dispatch_give_up(&call);
        composite_real_mul(rp, up, un, vp, vn);
        add_residues(rp, n, rp + n, un + vn - n);
    }
    dispatch_end(&call, outcome);
    composite_count(w, outcome);
}

/* {rp, n} = {xp, xn} - {rp, n} modulo 2^(64 n) - 1, for n <= xn <= 2n and a result that is known to
 * be less than 2^(64 (n-1)). */
static void mulmod_bnm1_subtract_from(mp_ptr rp, size_t n, mp_srcptr xp, size_t xn) {
    mpn_com(rp, rp, (mp_size_t)n); /* rp = 2^(64 n) - 1 - rp */
    add_residues(rp, n, xp, n);
    if (xn > n)
        add_residues(rp, n, xp + n, xn - n);
    if (rp[n - 1]) /* rp is 2^(64 n) - 1, which stands for 0 */
        mpn_zero(rp, (mp_size_t)n);
}

/* Returns the length of x in limbs: half of its words, which have 32 bits, rounded up. */
static size_t size_of(struct number x) {
    return (size_t)(x.words + 1) / 2;
}

static size_t normal_size(const struct calc *c, struct number x) {
    return normalize(calc_limbs(c, x), size_of(x));
}

/* r = u v.  Skips zeros at the operands' tops; if an operand is 0, only writes zeros. */
static void mul(struct calc *c, struct number r, struct number u, struct number v) {
    if (!calc_is_on(c))
        return;
    size_t un = normal_size(c, u), vn = normal_size(c, v), n = un && vn ? un + vn : 0;
    if (n)
        composite_mul(c->of, calc_limbs(c, r), calc_limbs(c, u), un, calc_limbs(c, v), vn);
    if (size_of(r) > n)
        mpn_zero(calc_limbs(c, r) + n, (mp_size_t)(size_of(r) - n));
}

/* Returns u v, or u v modulo 2^(32 n) - 1 for an n of at least `least` words, if that is faster.
 * Plans room for the whole product, because the thresholds may change after planning. */
static struct number mul_wrapped(struct calc *c, uint64_t least, struct number u, struct number v) {
    struct number r = calc_take(c, u.words + v.words);
    if (!calc_is_on(c))
        return r;
    size_t un = normal_size(c, u), vn = normal_size(c, v);
    size_t n = un && vn ? mulmod_bnm1_size((size_t)least / 2, un, vn) : 0;
    if (n == 0) {
        mul(c, r, u, v);
        return r;
    }
    mulmod_bnm1_mul(c->of, calc_limbs(c, r), n, calc_limbs(c, u), un, calc_limbs(c, v), vn);
    return number_part(r, 0, 2 * n);
}

static void mul_1(struct calc *c, struct number r, struct number u, uint64_t v) {
    if (!calc_is_on(c))
        return;
    mp_ptr rp = calc_limbs(c, r);
    size_t rn = size_of(r), un = size_of(u);
    mp_limb_t high = mpn_mul_1(rp, calc_limbs(c, u), (mp_size_t)un, v);
    if (rn > un)
        mpn_zero(rp + un, (mp_size_t)(rn - un));
    if (rn > un)
        rp[un] = high;
}

static void add(struct calc *c, struct number r, struct number u, struct number v, bool subtract) {
    mp_ptr rp = calc_limbs(c, r);
    mp_srcptr up = calc_limbs(c, u), vp = calc_limbs(c, v);
    mp_size_t un = (mp_size_t)size_of(u), vn = (mp_size_t)size_of(v);
    if (un > 0 && subtract)
        mpn_sub(rp, up, un, vp, vn);
    else if (un > 0)
        mpn_add(rp, up, un, vp, vn);
}

/* {rp, rn} = {up, un} 2^bits modulo 2^(64 rn). */
static void shift_up(mp_ptr rp, size_t rn, mp_srcptr up, size_t un, uint64_t bits) {
    size_t zeros = min_u64(bits / GMP_NUMB_BITS, rn), n = min_u64(rn - zeros, un);
    unsigned shift = bits % GMP_NUMB_BITS;
    mp_limb_t high = 0;
    mpn_zero(rp, (mp_size_t)zeros);
    rp += zeros;
    rn -= zeros;
    if (n > 0 && shift)
        high = mpn_lshift(rp, up, (mp_size_t)n, shift);
    else if (n > 0)
        mpn_copyi(rp, up, (mp_size_t)n);
    if (rn > n)
        mpn_zero(rp + n, (mp_size_t)(rn - n));
    if (rn > n)
        rp[n] = high;
}

/* {rp, rn} = floor({up, un} / 2^bits) modulo 2^(64 rn). */
static void shift_down(mp_ptr rp, size_t rn, mp_srcptr up, size_t un, uint64_t bits) {
    size_t skip = min_u64(bits / GMP_NUMB_BITS, un), n = min_u64(rn, un - skip);
    unsigned shift = bits % GMP_NUMB_BITS;
    up += skip;
    if (n > 0 && shift)
        mpn_rshift(rp, up, (mp_size_t)n, shift);
    else if (n > 0)
        mpn_copyi(rp, up, (mp_size_t)n);
    if (n > 0 && shift && un - skip > n)
        rp[n - 1] |= up[n] << (GMP_NUMB_BITS - shift);
    if (rn > n)
        mpn_zero(rp + n, (mp_size_t)(rn - n));
}

static void shift(struct calc *c, struct number r, struct number u, int64_t bits,
                  bool is_complement) {
    mp_ptr rp = calc_limbs(c, r);
    size_t rn = size_of(r);
    if (bits < 0)
        shift_up(rp, rn, calc_limbs(c, u), size_of(u), (uint64_t)-bits);
    else
        shift_down(rp, rn, calc_limbs(c, u), size_of(u), (uint64_t)bits);
    if (is_complement)
        mpn_com(rp, rp, (mp_size_t)rn);
}

static void reduce(struct calc *c, struct number r, struct number flag, struct number u,
                   struct number v) {
    if (!calc_is_on(c))
        return;
    size_t un = normal_size(c, u), vn = normal_size(c, v), rn = size_of(r);
    mp_ptr rp = calc_limbs(c, r);
    mp_srcptr up = calc_limbs(c, u), vp = calc_limbs(c, v);
    bool is_less = un == vn ? mpn_cmp(up, vp, (mp_size_t)un) < 0 : un < vn;
    if (!is_less && rn > 0)
        mpn_sub(rp, up, (mp_size_t)rn, vp, (mp_size_t)min_u64(vn, rn));
    else if (rn > 0)
        mpn_copyi(rp, up, (mp_size_t)rn);
    *calc_limbs(c, flag) = !is_less;
}

/* Sets r to the remainder n - q d of a division by d. `product` is q d modulo 2^(32 w) - 1, where w
 * is the number of its words. r may have fewer words than n and `product`. */
static void remainder_of(struct calc *c, struct number r, struct number n, struct number product,
                         struct number q, struct number d) {
    mp_ptr p = calc_limbs(c, product);
    (void)q;
    (void)d;
    mulmod_bnm1_subtract_from(p, size_of(product), calc_limbs(c, n), size_of(n));
    mpn_copyi(calc_limbs(c, r), p, (mp_size_t)size_of(r));
}

static void zero(struct calc *c, struct number r) {
    memset(calc_limbs(c, r), 0, r.words * sizeof(uint32_t));
}

static struct number upload(struct calc *c, const void *host, uint64_t zeros, uint64_t limbs,
                            uint64_t words, uint64_t high) {
    struct number x = calc_take(c, words), given = number_part(x, 2 * zeros, 2 * limbs);
    (void)high;
    calc_zero(c, number_part(x, 0, 2 * zeros));
    calc_zero(c, number_part(x, 2 * (zeros + limbs), words));
    if (calc_is_on(c) && given.words > 0)
        memcpy(calc_limbs(c, given), host, given.words * sizeof(uint32_t));
    return x;
}

static void download(struct calc *c, void *host, struct number x, uint64_t from, uint64_t bytes) {
    memcpy(host, (const char *)calc_limbs(c, x) + from, bytes);
}

static const struct calc_engine engine = {.upload = upload,
                                          .mul = mul,
                                          .mul_wrapped = mul_wrapped,
                                          .mul_1 = mul_1,
                                          .reduce = reduce,
                                          .download = download,
                                          .zero = zero,
                                          .add = add,
                                          .shift = shift,
                                          .remainder = remainder_of};

bool recipe_open(struct calc *c, struct composite *w, void (*work)(struct calc *c, void *argument),
                 void *argument) {
    mp_ptr limbs = scratch_alloc(calc_plan_on_host(c, &engine, work, argument));
    c->limbs = limbs;
    c->of = w;
    return limbs != NULL;
}

void recipe_close(struct calc *c) {
    scratch_free(c->limbs);
}

bool recipe_run_on_host(struct composite *w, struct job *job) {
    struct job apart;
    struct calc c;
    if (!job_begin(&apart, job))
        return false;
    bool done = recipe_open(&c, w, job_work, &apart);
    if (done) {
        done = calc_run_on_host(&c, job_work, &apart) == GPU_OK;
        recipe_close(&c);
    }
    job_end(job, &apart, done);
    return done;
}

static bool on_device(struct composite *w, struct job *job) {
    if (!job_composites_run() || !job_takes(job))
        return false;
    enum outcome outcome = job_run(job);
    composite_count(w, outcome);
    return outcome == OUTCOME_DONE;
}

bool recipe_run(struct composite *w, struct job *job) {
    return on_device(w, job) || recipe_run_on_host(w, job);
}
