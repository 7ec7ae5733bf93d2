/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What whole operations have in common. */
#include "compat/intercept/composite.h"

#include <errno.h>

#include "lib/operate/limbs.h"
#include "lib/gmp/real.h"

/* Of the function at work in this thread that has one. */
static _Thread_local struct composite_frame *frame __attribute__((tls_model("initial-exec")));

void composite_frame_begin(struct composite_frame *f) {
    f->is_open = 0;
    frame = f;
}

void composite_frame_end(struct composite_frame *f) {
    frame = NULL;
    if (!f->is_open)
        return;
    int error = errno; /* GMP's */
    call_close(&f->call);
    call_end(&f->call, f->why);
    errno = error;
}

/* The call goes on in the function's frame, open to inner ones. */
static void refuse(const struct composite *w, enum outcome why) {
    if (!frame || frame->is_open) {
        call_end(&w->call, why);
        return;
    }
    frame->call = w->call;
    frame->why = why;
    frame->is_open = 1;
    call_close(&frame->call);
    call_open();
    errno = w->call.saved_errno;
}

int composite_begin(struct composite *w, enum call_row row, size_t size, const _Atomic size_t *threshold,
                size_t limbs) {
    if (!call_begin(&w->call, row, size, threshold, limbs))
        return 0;
    w->sent = 0;
    enum outcome why = session_ready();
    if (why == OUTCOME_DONE)
        return 1;
    refuse(w, why);
    return 0;
}

void composite_end(const struct composite *w) {
    call_end(&w->call, w->sent ? OUTCOME_DONE : OUTCOME_SMALL);
}

static int is_worth_it(mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    return !call_is_small(min_u64(un, vn), call_product_threshold(up, un, vp, vn));
}

void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    if (un >= vn)
        real.mpn_mul(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    else
        real.mpn_mul(rp, vp, (mp_size_t)vn, up, (mp_size_t)un);
}

void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    if (is_worth_it(up, un, vp, vn) && limbs_mul(rp, up, un, vp, vn) == OUTCOME_DONE)
        w->sent++;
    else
        composite_real_mul(rp, up, un, vp, vn);
}
