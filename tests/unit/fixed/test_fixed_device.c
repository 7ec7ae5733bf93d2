/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests fixed-point operations and views of the Mandelbrot set on every backend, compared with
 * GMP's integers and with the host's views. MPGPU_TEST_NUMBERS: how many operands for each
 * operation. */
#include <string.h>

#include "lib/fixed/mandelbrot.h"
#include "lib/fixed/operations.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/unit/fixed/fixed_gmp.h"

enum { BATCH = 8000 };
static const unsigned sizes[] = {4, 6, 8};
static const unsigned kinds[] = {0, 4, 6, 8};

static uint32_t u[BATCH * 8], v[BATCH * 8], r[BATCH * 8], right[BATCH * 8];

/* A batch of operations on the device. `place` is the number of the operand (0 or 1) that the
 * result replaces, or 2 if the result is stored separately. */
struct request {
    struct operations_batch batch;
    unsigned place;
};

static enum gpu_status operate_with(struct context *s, struct request *q, const gpu_mem *mem) {
    struct operations_batch *b = &q->batch;
    const size_t bytes = b->numbers * b->words * sizeof *u;
    b->u = mem[0], b->v = mem[1], b->r = mem[q->place];
    enum gpu_status status = transfer_up(s->transfer, &s->queue, b->u, 0, u, bytes);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, b->v, 0, v, bytes);
    if (status == GPU_OK)
        status = operations_run(s, b);
    return status ? status : transfer_down(s->transfer, &s->queue, r, b->r, 0, bytes);
}

static enum gpu_status operate(struct context *s, void *argument) {
    struct request *q = argument;
    gpu_mem mem[3] = {{0}, {0}, {0}};
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < 3 && status == GPU_OK; i++)
        status = gpu_alloc(&s->dev, sizeof u, &mem[i]);
    if (status == GPU_OK)
        status = operate_with(s, q, mem);
    for (int i = 0; i < 3; i++)
        if (mem[i].h)
            gpu_release(&s->dev, mem[i]);
    return status;
}

START_TEST(operations_are_gmps) {
    const unsigned long numbers = testing_option("MPGPU_TEST_NUMBERS", 4000);
    const unsigned words = sizes[_i % 3], operation = (unsigned)_i / 3 % FIXED_OPERATIONS;
    open_backend(backends[_i / (3 * FIXED_OPERATIONS)]);
    for (unsigned long done = 0; done < numbers; done += BATCH) {
        struct request q = {.place = (unsigned)testing_below(3)};
        size_t count = numbers - done < BATCH ? numbers - done : BATCH;
        q.batch = (struct operations_batch){
            .numbers = count, .words = words, .operation = operation, .count = fixed_count(words)};
        fixed_fill(u, count, words);
        fixed_fill(v, count, words);
        memcpy(v, u, words * sizeof *v);
        fixed_right(right, u, v, count, words, operation, q.batch.count);
        ck_assert_int_eq(session_run(operate, &q, sizeof q, 0), OUTCOME_DONE);
        fixed_compare_all(r, right, count, words, operation, q.batch.count);
    }
}
END_TEST

/* ---- views */

enum { MOST_PIXELS = 6000 };
static uint32_t iterations[2][MOST_PIXELS + 1], magnitudes[2][MOST_PIXELS + 1];

static enum gpu_status draw(struct context *s, void *view) {
    return mandelbrot_device(s, view, iterations[1], magnitudes[1]);
}

static void set_coordinate(union mandelbrot_number *x, unsigned words, double d) {
    if (words == 0)
        x->real = d;
    else
        fixed_from_double(x->fixed, words, d);
}

static struct mandelbrot_view view_of(unsigned words, double left, double top, double step) {
    struct mandelbrot_view view = {.words = words};
    set_coordinate(&view.left, words, left);
    set_coordinate(&view.top, words, top);
    set_coordinate(&view.step, words, step);
    return view;
}

static void check_view(struct mandelbrot_view view) {
    const size_t pixels = (size_t)view.width * view.rows;
    ck_assert(mandelbrot_is_view(&view) && pixels <= MOST_PIXELS);
    memset(iterations, 0xa5, sizeof iterations);
    memset(magnitudes, 0xa5, sizeof magnitudes);
    mandelbrot_host(&view, iterations[0], magnitudes[0]);
    ck_assert_int_eq(session_run(draw, &view, sizeof view, 0), OUTCOME_DONE);
    for (size_t i = 0; i < pixels + 1; i++)
        ck_assert_msg(iterations[0][i] == iterations[1][i] && magnitudes[0][i] == magnitudes[1][i],
                      "%u words, %ux%u, most %u: pixel %zu: host %u, %u, device %u, %u", view.words,
                      view.width, view.rows, view.most, i, iterations[0][i], magnitudes[0][i],
                      iterations[1][i], magnitudes[1][i]);
}

/* Views that the device must draw exactly as the host does: most of the set, places with long
 * orbits, sizes that are no multiples of the kernels' tiles, few iterations, and coordinates far
 * outside the set. */
START_TEST(views_are_the_hosts) {
    static const struct {
        double left, top, step;
        uint32_t width, first_row, rows, most;
    } views[] = {{-2.25, 1.125, 0.03, 100, 0, 60, 1000},   {-2.25, 1.125, 0.03, 77, 13, 35, 1003},
                 {-0.7437, 0.1318, 1e-6, 50, 0, 50, 3000}, {-1.25, 0.01, 1e-12, 31, 5, 7, 777},
                 {-2.0, 0.0, 1e-9, 9, 0, 3, 500},          {-2.25, 1.125, 0.5, 8, 0, 4, 0},
                 {-2.25, 1.125, 0.03, 100, 0, 50, 1},      {-2.25, 1.125, 0.03, 100, 0, 50, 3},
                 {-2.25, 1.125, 0.03, 100, 0, 50, 6},      {-900, 900, 20, 60, 0, 60, 50},
                 {-0.1, 0.1, 0.01, 1, 0, 1, 100},          {-0.1, 0.1, 0.01, 17, 0, 0, 100}};
    const unsigned words = kinds[_i % 4];
    open_backend(backends[_i / 4]);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct mandelbrot_view view = view_of(words, views[i].left, views[i].top, views[i].step);
        view.width = views[i].width;
        view.first_row = views[i].first_row;
        view.rows = views[i].rows;
        view.most = views[i].most;
        check_view(view);
    }
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_backends("fixed_device",
                           TESTS(PER_DEVICE(views_are_the_hosts, 4),
                                 PER_DEVICE(operations_are_gmps, 3 * FIXED_OPERATIONS)),
                           NULL);
}
