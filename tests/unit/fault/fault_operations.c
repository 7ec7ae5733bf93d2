/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that test_fault and test_handlers_fault run on a failing device. */
#include "config.h"

#include "tests/unit/fault/fault_operations.h"

#include <gmp.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/real.h"
#include "lib/memory/pool.h"
#include "lib/multiply/small.h"
#include "lib/job/limbs.h"
#include "lib/session/session.h"
#include "lib/session/session_device.h"

enum { LONG = 21000, PIECES = 15000, SHORT = 40, WIDE = 8192 };
enum { ROOM = LONG + SHORT + 1, GUARD = 8 };
/* the bytes of the shortest transform; an operand of LONG limbs needs a longer one */
enum { HALF_BYTES = 8192 * 20 };
enum { COVER = 0x5a, POOL_BYTES = (2 * LONG + ROOM) * sizeof(mp_limb_t) };
static const mp_limb_t factor = 0xfffffffffffffff1u;
static const mp_limb_t guard_limb = 0xa5a5a5a55a5a5a5au;

/* Limbs of both operands and of the result; some results have a carry limb in addition. PLUS and
 * WRAPAROUND have the length of a transform. MINUS is shorter, so its product is computed in full
 * and then reduced (lib/multiply/mulmod.c). */
static const struct {
    size_t un, vn, rn;
} sizes[OPERATIONS] = {
    [PRODUCT] = {5000, 4270, 9270},
    [SQUARE] = {4500, 4500, 9000},
    [IN_PIECES] = {PIECES, SHORT, PIECES + SHORT},
    [SMALL] = {100, 90, 190},
    [TINY] = {60, 50, 110},
    [POOLED] = {3000, 2000, 5000},
    [BY_SSA] = {400, 300, 700},
    [BY_FFT] = {400, 300, 700},
    [LOW] = {100, 100, 100},
    [MINUS] = {100, 90, 110},
    [PLUS] = {WIDE, WIDE, WIDE},
    [SUM] = {5000, 3000, 5000},
    [DIFFERENCE] = {5000, 4999, 5000},
    [BY_LIMB] = {5000, 4000, 5002},
    [CUT] = {LONG, SHORT, LONG + SHORT},
    [WRAPAROUND] = {WIDE - 1000, WIDE - 2000, WIDE},
};

static mp_limb_t u[LONG], v[LONG], u_copy[LONG], v_copy[LONG];
static mp_limb_t right[OPERATIONS][ROOM];
static mp_limb_t result[GUARD + ROOM + GUARD], *const rp = result + GUARD;

static int is_sum(enum operation op) {
    return op == SUM || op == DIFFERENCE;
}

static int has_carry(enum operation op) {
    return op == PLUS || is_sum(op);
}

static size_t result_limbs(enum operation op) {
    return sizes[op].rn + (size_t)has_carry(op);
}

static mp_srcptr second(enum operation op) {
    return op == SQUARE ? u : v;
}

/* Fills x with random limbs, some of which are 0 or have all bits set. Calls no function of GMP. */
static void fill(mp_limb_t *x, size_t n, mp_limb_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? 0 : seed >> 62 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
}

static int is_minus(enum operation op) {
    return op == MINUS || op == WRAPAROUND;
}

/* Reduces {xp, 2n} modulo 2^(64 n) - 1 or, with `plus`, modulo 2^(64 n) + 1; then limb n is the
 * carry. The result is never 0 here. */
static void fold(mp_ptr xp, mp_size_t n, int plus) {
    if (plus) {
        mp_limb_t borrow = mpn_sub_n(xp, xp, xp + n, n);
        xp[n] = mpn_add_1(xp, xp, n, borrow);
    } else
        mpn_add_1(xp, xp, n, mpn_add_n(xp, xp, xp + n, n));
}

/* Fills the operands so that no difference is negative and no highest limb is 0. */
static void fill_operands(void) {
    fill(u, LONG, 1);
    fill(v, LONG, 2);
    for (int op = 0; op < OPERATIONS; op++) {
        u[sizes[op].un - 1] |= (mp_limb_t)1 << 63;
        v[sizes[op].vn - 1] = v[sizes[op].vn - 1] >> 1 | 1;
    }
    memcpy(u_copy, u, sizeof u);
    memcpy(v_copy, v, sizeof v);
}

void operations_prepare(void) {
    fill_operands();
    for (int op = 0; op < OPERATIONS; op++) {
        mp_size_t un = (mp_size_t)sizes[op].un, vn = (mp_size_t)sizes[op].vn;
        if (op == BY_LIMB) {
            right[op][un] = mpn_mul_1(right[op], u, un, factor);
            mpn_add(right[op], right[op], un + 1, v, vn);
        } else if (!is_sum((enum operation)op))
            real.mpn_mul(right[op], u, un, second(op), vn);
        else if (op == SUM)
            right[op][un] = mpn_add(right[op], u, un, v, vn);
        else
            right[op][un] = mpn_sub(right[op], u, un, v, vn);
        if (is_minus((enum operation)op) || op == PLUS)
            fold(right[op], (mp_size_t)sizes[op].rn, op == PLUS);
    }
}

/* Returns a block of the pool (the library's memory for large results). Allocates it at the first
 * call, if the pool is open. */
static mp_ptr pool_block(void) {
    static mp_ptr block;
    if (!block)
        block = pool_alloc(POOL_BYTES);
    return block;
}

/* Multiplies with operands and result in one block of the pool. Only the first operand begins at
 * a page boundary. */
static enum outcome operate_in_pool(size_t un, size_t vn) {
    mp_ptr up = pool_block(), vp = up + un + 3, wp = vp + vn + 3;
    if (!up)
        return limbs_mul(rp, u, un, v, vn);
    memcpy(up, u, un * sizeof *up);
    memcpy(vp, v, vn * sizeof *vp);
    memset(wp - 3, COVER, (un + vn + 6) * sizeof *wp);
    enum outcome outcome = limbs_mul(wp, up, un, vp, vn);
    memcpy(rp, wp, (un + vn) * sizeof *rp);
    for (int i = 0; i < 3 * (int)sizeof *wp; i++)
        if (((char *)(wp - 3))[i] != COVER || ((char *)(wp + un + vn))[i] != COVER)
            rp[-1] = 0; /* makes the caller's check of the guard limbs fail */
    if (memcmp(up, u, un * sizeof *up) != 0 || memcmp(vp, v, vn * sizeof *vp) != 0)
        rp[-1] = 0;
    return outcome;
}

/* Limits the device's largest buffer; returns the former limit. */
static uint64_t limit_buffers(uint64_t bytes) {
    uint64_t *most = &session_device_first(session_device(0))->dev.caps.max_alloc, before = *most;
    *most = bytes;
    return before;
}

/* Prepares a product that the library must cut, because a test has limited the size of buffers. On
 * a GPU, allocates the scratch memory of small products, which is larger than that limit. Releases
 * the operands' buffers, so that they are allocated under the limit. */
static enum gpu_status prepare_halves(struct context *s, void *unused) {
    const struct small_plan p = {.log_n = SMALL_MIN_LOG};
    (void)unused;
    enum gpu_status status = s->dev.caps.is_cpu ? GPU_OK : small_prepare(s, &p);
    status = status == GPU_OK ? gpu_finish(&s->queue) : status;
    if (status == GPU_OK)
        context_trim(s);
    return status;
}

static enum outcome before_halves(void) {
    int unused = 0;
    return session_run(prepare_halves, &unused, sizeof unused, 0);
}

static enum outcome operate_in_halves(size_t un, size_t vn) {
    enum outcome outcome = before_halves();
    if (outcome != OUTCOME_DONE)
        return outcome;
    uint64_t before = limit_buffers(HALF_BYTES);
    outcome = limbs_mul(rp, u, un, v, vn);
    limit_buffers(before);
    int fits = session_device_first(session_device(0))->slot[SLOT_U].bytes > HALF_BYTES;
    return outcome == OUTCOME_DONE && fits ? OUTCOME_NONE : outcome;
}

static enum outcome operate_by(enum conf_algorithm algorithm, size_t un, size_t vn) {
    mpgpu_conf.algorithm = algorithm;
    enum outcome outcome = limbs_mul(rp, u, un, v, vn);
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
    return outcome;
}

enum outcome operate(enum operation op) {
    size_t un = sizes[op].un, vn = sizes[op].vn, rn = sizes[op].rn;
    for (size_t i = 0; i < GUARD + ROOM + GUARD; i++)
        result[i] = guard_limb;
    switch (op) {
    case POOLED:
        return operate_in_pool(un, vn);
    case CUT:
        return operate_in_halves(un, vn);
    case BY_SSA:
        return operate_by(ALGORITHM_SSA, un, vn);
    case BY_FFT:
        return operate_by(ALGORITHM_FFT, un, vn);
    case LOW:
        return limbs_mulmod(LIMBS_MULMOD_LOW, rp, rn, u, un, v, vn, &(mp_limb_t){0});
    case MINUS:
    case WRAPAROUND:
        return limbs_mulmod(LIMBS_MULMOD_BNM1, rp, rn, u, un, v, vn, &(mp_limb_t){0});
    case PLUS:
        return limbs_mulmod(LIMBS_MULMOD_BNP1, rp, rn, u, un, v, vn, &rp[rn]);
    case SUM:
        return limbs_add(rp, u, un, v, vn, &rp[rn]);
    case DIFFERENCE:
        return limbs_sub(rp, u, un, v, vn, &rp[rn]);
    case BY_LIMB:
        return limbs_addmul_1(rp, rn, v, vn, u, un, factor);
    default:
        return limbs_mul(rp, u, un, second(op), vn);
    }
}

/* Runs the operation by mpz_mul, mpz_add, mpz_sub or mpz_addmul_ui. */
static void operate_as_mpz(enum operation op) {
    mpz_t r, a, b;
    mpz_roinit_n(a, u, (mp_size_t)sizes[op].un);
    mpz_roinit_n(b, second(op), (mp_size_t)sizes[op].vn);
    mpz_init(r);
    if (op == BY_LIMB) {
        mpz_set(r, b);
        mpz_addmul_ui(r, a, factor);
    } else if (!is_sum(op))
        mpz_mul(r, a, op == SQUARE ? a : b);
    else
        (op == SUM ? mpz_add : mpz_sub)(r, a, b);
    memcpy(rp, mpz_limbs_read(r), mpz_size(r) * sizeof *rp);
    mpz_clear(r);
}

void operate_as_program(enum operation op) {
    static mp_limb_t scratch[2 * WIDE + 4];
    mp_size_t un = (mp_size_t)sizes[op].un, vn = (mp_size_t)sizes[op].vn;
    mp_size_t rn = (mp_size_t)sizes[op].rn;
    memset(result, 0, sizeof result);
    if (op == LOW)
        mpn_mullo_n(rp, u, v, rn);
    else if (is_minus(op))
        mpn_mulmod_bnm1(rp, rn, u, un, v, vn, scratch);
    else if (op == PLUS)
        rp[rn] = mpn_mul_fft(rp, rn, u, un, v, vn, 7);
    else {
        if (op == CUT)
            before_halves();
        uint64_t before = op == CUT ? limit_buffers(HALF_BYTES) : 0;
        mpgpu_conf.algorithm = op == BY_SSA ? ALGORITHM_SSA : ALGORITHM_AUTO;
        operate_as_mpz(op);
        mpgpu_conf.algorithm = ALGORITHM_AUTO;
        if (op == CUT)
            limit_buffers(before);
    }
}

int result_is_right(enum operation op) {
    return memcmp(rp, right[op], result_limbs(op) * sizeof *rp) == 0;
}

int operands_survived(void) {
    return memcmp(u, u_copy, sizeof u) == 0 && memcmp(v, v_copy, sizeof v) == 0;
}

int operation_survived(enum operation op) {
    for (size_t i = 0; i < GUARD; i++)
        if (result[i] != guard_limb || rp[result_limbs(op) + i] != guard_limb)
            return 0;
    return operands_survived();
}

void result_cover(void) {
    memset(result, COVER, sizeof result);
    if (pool_block())
        memset(pool_block(), COVER, POOL_BYTES);
}

static int is_covered(const void *p, size_t bytes) {
    const unsigned char *byte = p;
    for (size_t i = 0; i < bytes; i++)
        if (byte[i] != COVER)
            return 0;
    return 1;
}

int result_is_covered(void) {
    return is_covered(result, sizeof result) &&
           (!pool_block() || is_covered(pool_block(), POOL_BYTES));
}
