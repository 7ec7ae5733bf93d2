/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on limbs in host memory: upload, operate, download. */
#include "mul.h"
#include "check.h"
#include "conf.h"
#include "ntt.h"
#include "number.h"
#include "stats.h"
#include "transfer.h"

#define LIMB_WORDS (sizeof(mp_limb_t) / sizeof(uint32_t))

/* Seconds since *clock, which is set to now; the device's work so far counts. */
static double lap(const struct session *s, double *clock) {
    if (!stats_on)
        return 0;
    gpu_finish(&s->queue);
    double now = stats_clock(), seconds = now - *clock;
    *clock = now;
    return seconds;
}

/* {xp, xn} into a slot. */
static int upload(struct session *s, enum session_slot slot, const mp_limb_t *xp, size_t xn,
                  struct number *x) {
    int status = number_in_slot(s, slot, xn * LIMB_WORDS, x);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, x->mem, 0, xp, xn * sizeof *xp);
    return status;
}

static int download(struct session *s, mp_limb_t *rp, size_t rn, struct number r) {
    return transfer_down(s->transfer, &s->queue, rp, r.mem, r.at * sizeof(uint32_t),
                         rn * sizeof *rp);
}

/* Both operands, the second not twice if it is the first. */
static int upload_both(struct session *s, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                       size_t vn, struct number *u, struct number *v) {
    int status = upload(s, SLOT_U, up, un, u);
    if (status == GPU_OK && up == vp && un == vn)
        *v = *u;
    else if (status == GPU_OK)
        status = upload(s, SLOT_V, vp, vn, v);
    return status;
}

static int mul(struct session *s, mp_limb_t *rp, const mp_limb_t *up, size_t un,
               const mp_limb_t *vp, size_t vn) {
    struct ntt_plan plan;
    struct number u, v, r;
    struct check check;
    const int checked = mpgpu_conf.verify == VERIFY_DEVICE;
    double clock = stats_clock();
    int status = ntt_prepare(s, &plan, un * LIMB_WORDS, vn * LIMB_WORDS);
    if (status == GPU_OK)
        status = upload_both(s, up, un, vp, vn, &u, &v);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_R, (un + vn) * LIMB_WORDS, &r);
    stats_times.upload = lap(s, &clock);
    if (status == GPU_OK)
        status = ntt_mul(s, &plan, r, u, v);
    if (status == GPU_OK && checked)
        status = check_start(&check, s, r, u, v);
    stats_times.kernels = lap(s, &clock);
    if (status == GPU_OK)
        status = download(s, rp, un + vn, r);
    if (status == GPU_OK && checked)
        status = check_product(&check);
    stats_times.download = lap(s, &clock);
    return status;
}

static int add(struct session *s, mp_limb_t *rp, const mp_limb_t *up, size_t un,
               const mp_limb_t *vp, size_t vn, int subtract, mp_limb_t *cy) {
    struct number u, v, r;
    struct check check;
    const int checked = mpgpu_conf.verify == VERIFY_DEVICE;
    uint32_t carry = 0;
    double clock = stats_clock();
    int status = upload_both(s, up, un, vp, vn, &u, &v);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_R, un * LIMB_WORDS, &r);
    stats_times.upload = lap(s, &clock);
    if (status == GPU_OK)
        status = number_add(s, r, u, v, subtract, &carry);
    if (status == GPU_OK && checked)
        status = check_start(&check, s, r, u, v);
    stats_times.kernels = lap(s, &clock);
    if (status == GPU_OK)
        status = download(s, rp, un, r);
    if (status == GPU_OK && checked)
        status = check_sum(&check, r.words, subtract, carry);
    stats_times.download = lap(s, &clock);
    *cy = carry;
    return status;
}

enum mpgpu_why mpgpu_mul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn) {
    struct session *s;
    enum mpgpu_why why = session_begin(&s);
    return why == WHY_DONE ? session_end(s, mul(s, rp, up, un, vp, vn)) : why;
}

enum mpgpu_why mpgpu_add(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    struct session *s;
    enum mpgpu_why why = session_begin(&s);
    return why == WHY_DONE ? session_end(s, add(s, rp, up, un, vp, vn, 0, cy)) : why;
}

enum mpgpu_why mpgpu_sub(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    struct session *s;
    enum mpgpu_why why = session_begin(&s);
    return why == WHY_DONE ? session_end(s, add(s, rp, up, un, vp, vn, 1, cy)) : why;
}
