/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions shared by the tests of the kernels on the host. */
#include "tests/kernels/trials.h"

#include <string.h>

#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/kernels/host_backend.h"

/* Replaces context_buffer of lib/device/context.c: allocates exactly the requested bytes, so
 * that an access beyond them is outside the buffer. */
enum gpu_status __wrap_context_buffer(struct context *s, enum context_slot slot, size_t bytes,
                                      gpu_mem *memp);
enum gpu_status __wrap_context_buffer(struct context *s, enum context_slot slot, size_t bytes,
                                      gpu_mem *memp) {
    enum gpu_status status = GPU_OK;
    if (s->slot[slot].bytes < bytes || s->slot[slot].bytes == 0) {
        if (s->slot[slot].bytes > 0)
            context_release(s, s->slot[slot].mem, s->slot[slot].bytes);
        s->slot[slot].bytes = 0;
        status = context_alloc(s, bytes, &s->slot[slot].mem);
        s->slot[slot].bytes = status == GPU_OK ? bytes : 0;
    }
    *memp = s->slot[slot].mem;
    return status;
}

void open_form(int form, enum conf_algorithm algorithm) {
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "%s", form ? "cuda" : "opencl");
    mpgpu_conf.algorithm = algorithm;
}

void open_host(enum conf_algorithm algorithm) {
    open_form(0, algorithm);
}

struct errand {
    enum gpu_status (*work)(struct context *s, void *context);
    void *context;
};

static enum gpu_status run(struct context *s, void *errand) {
    const struct errand *e = errand;
    context_trim(s);
    return e->work ? e->work(s, e->context) : GPU_OK;
}

void with_device(enum gpu_status (*work)(struct context *s, void *context), void *context) {
    struct errand e = {work, context};
    ck_assert_int_eq(session_run(run, &e, sizeof e, 0), OUTCOME_DONE);
}

enum gpu_status forget_known(struct context *s, void *unused) {
    (void)unused;
    host_verifies = true;
    memset(s->known, 0, sizeof s->known);
    return GPU_OK;
}

static struct number up(struct context *s, enum context_slot slot, uint64_t at, const uint32_t *x,
                        uint64_t words) {
    struct number to;
    ck_assert_int_eq(number_in_slot(s, slot, at + words, &to), GPU_OK);
    to = (struct number){to.mem, at, words};
    if (x)
        ck_assert_int_eq(
            transfer_up(s->transfer, &s->queue, to.mem, at * sizeof *x, x, words * sizeof *x),
            GPU_OK);
    return to;
}

struct number number_up(struct context *s, enum context_slot slot, const uint32_t *x,
                        uint64_t words) {
    return up(s, slot, 0, x, words);
}

struct number number_above(struct context *s, enum context_slot slot, const uint32_t *x,
                           uint64_t words) {
    enum { LINE = 32 }; /* words; calc_take returns numbers at multiples of it */
    return up(s, slot, LINE, x, words);
}

void number_down(struct context *s, uint32_t *to, struct number x) {
    ck_assert_int_eq(
        transfer_down(s->transfer, &s->queue, to, x.mem, x.at * sizeof *to, x.words * sizeof *to),
        GPU_OK);
}

gpu_mem words_up(struct context *s, const uint32_t *x, uint64_t words) {
    gpu_mem mem;
    ck_assert_int_eq(context_alloc(s, words * sizeof *x, &mem), GPU_OK);
    if (x)
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, 0, x, words * sizeof *x), GPU_OK);
    return mem;
}

void words_down(struct context *s, uint32_t *to, gpu_mem mem, uint64_t words) {
    if (to)
        ck_assert_int_eq(transfer_down(s->transfer, &s->queue, to, mem, 0, words * sizeof *to),
                         GPU_OK);
    context_release(s, mem, words * sizeof *to);
}

void number_of_words(mpz_t to, const uint32_t *x, size_t n) {
    mpz_import(to, n, -1, sizeof *x, 0, 0, x);
}

void check_words(const uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn) {
    mpz_t a, b, c;
    mpz_inits(a, b, c, NULL);
    number_of_words(a, u, un);
    number_of_words(b, v, vn);
    number_of_words(c, r, un + vn);
    mpz_mul(a, a, b);
    ck_assert_msg(mpz_cmp(a, c) == 0, "%zu by %zu words", un, vn);
    mpz_clears(a, b, c, NULL);
}

void testing_words(uint32_t *x, size_t n) {
    mp_limb_t *all = limbs((n + 1) / 2);
    testing_limbs(all, (n + 1) / 2);
    memcpy(x, all, n * sizeof *x);
    free(all);
}

#undef _tcase_add_test
void trials_add(TCase *tests, const TTest *test, int signal, int exit_value, int start, int end) {
    const char *only = getenv("MPGPU_TEST_LOOPS");
    for (int i = start; i < end; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s:%d ", test->name, i);
        if (!only || strstr(only, name))
            _tcase_add_test(tests, test, signal, exit_value, i, i + 1);
        if (only && !*only)
            puts(name);
    }
}
