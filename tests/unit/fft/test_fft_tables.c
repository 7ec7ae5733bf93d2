/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the tables of roots of unity. Checks their entries, and that a table is kept while a
 * transform uses it. */
#include <math.h>

#include "lib/fft/fft.h"
#include "lib/fft/fft_tables.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/support/testing.h"

START_TEST(roots) {
    const uint64_t orders[] = {1, 2, 3, 8, 15, 1024, 48828125, (uint64_t)1 << 32};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int k = 0; k < 1000; k++) {
            const uint64_t e = k < 16 ? (uint64_t)k * orders[i] / 16 : testing_below(orders[i]);
            const long double angle =
                -2 * 3.14159265358979323846264338328L * (long double)e / (long double)orders[i];
            double w[2];
            fft_root(w, e, orders[i]);
            ck_assert(fabsl(w[0] - cosl(angle)) <= 0x1p-53L * fabsl(cosl(angle)) + 0x1p-61L);
            ck_assert(fabsl(w[1] - sinl(angle)) <= 0x1p-53L * fabsl(sinl(angle)) + 0x1p-61L);
        }
}
END_TEST

enum { LOG_LENGTH = 16, BATCH = 64, OTHERS = FFT_TABLES_KEPT + 3 };

struct request {
    float *values; /* BATCH transforms */
};

/* Starts transforms of OTHERS other lengths without waiting for their end. Their tables evict all
 * tables that are cached. */
static enum gpu_status run_others(struct context *s, gpu_mem to, gpu_mem from) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < OTHERS && status == GPU_OK; i++) {
        struct fft_plan plan;
        ck_assert(fft_plan_init(&plan, FFT_FLOAT, false, (uint64_t)(i % 2 ? 3 : 5) << (i / 2 + 1)));
        status = fft_complex(s, &plan, FFT_FORWARD, to, from, 1);
    }
    return status;
}

static enum gpu_status many_lengths(struct context *s, void *argument) {
    struct request *r = argument;
    const size_t bytes = ((size_t)BATCH << LOG_LENGTH) * 2 * sizeof(float);
    struct fft_plan plan;
    gpu_mem from, to, other;
    ck_assert(fft_plan_init(&plan, FFT_FLOAT, false, 1u << LOG_LENGTH));
    enum gpu_status status = context_buffer(s, SLOT_U, bytes, &from);
    status = status ? status : context_buffer(s, SLOT_V, bytes, &to);
    status = status ? status : context_buffer(s, SLOT_R, bytes, &other);
    status = status ? status : transfer_up(s->transfer, &s->queue, from, 0, r->values, bytes);
    /* In the first round the programs are built, and the host waits for the device. So only the
     * second round evicts tables that are in use. */
    for (int i = 0; i < 2 && status == GPU_OK; i++) {
        status = gpu_finish(&s->queue);
        s->slot[SLOT_ROOTS].is_ready = false;
        status = status ? status : fft_complex(s, &plan, FFT_FORWARD, to, from, BATCH);
        status = status ? status : run_others(s, other, from);
    }
    return status ? status : transfer_down(s->transfer, &s->queue, r->values, to, 0, bytes);
}

/* The input of transform number b is 1 at index b + 1 and 0 elsewhere. So its result is a sequence
 * of roots, the table's entries. */
START_TEST(tables_are_kept_while_used) {
    const size_t n = (size_t)1 << LOG_LENGTH;
    struct request r = {calloc(BATCH * n, 2 * sizeof(float))};
    open_backend(backends[_i]);
    for (size_t b = 0; b < BATCH; b++)
        r.values[2 * (b * n + b + 1)] = 1;
    ck_assert_int_eq(session_run(many_lengths, &r, sizeof r, 0), OUTCOME_DONE);
    for (size_t b = 0; b < BATCH; b++)
        for (size_t k = 0; k < n; k++) {
            double w[2];
            fft_root(w, (b + 1) * k, n);
            ck_assert(fabs(r.values[2 * (b * n + k)] - w[0]) < 1e-5);
            ck_assert(fabs(r.values[2 * (b * n + k) + 1] - w[1]) < 1e-5);
        }
    free(r.values);
}
END_TEST

int main(void) {
    /* the kernels are the same for CPUs and GPUs (test_images checks this), so the tests run
     * once */
    has_one_form = true;
    return run_on_backends("fft tables",
                           TESTS(ONCE(roots), PER_DEVICE(tables_are_kept_while_used, 1)), NULL);
}
