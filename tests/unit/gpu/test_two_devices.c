/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a kernel on two devices of a backend at the same time in one process, as mpgpu-serve
 * does. */
#include <pthread.h>

#include "tests/support/devices.h"

enum { STEPS = 1000, WORDS = 64, FLAGS = (2 * STEPS + 4) * sizeof(uint32_t) };

/* A device's part. */
struct side {
    unsigned index; /* 0, 1 */
    struct gpu_device dev;
    struct gpu_queue queue;
    gpu_kernel_impl *kernel;
    gpu_mem numbers, flags;
};

static pthread_barrier_t begins;

static void open_side(struct side *s, unsigned index, int device) {
    s->index = index;
    s->dev.backend = devices[device].backend;
    s->dev.index = devices[device].index;
    ck_assert_msg(s->dev.backend->open(s->dev.index, &s->dev.impl) == GPU_OK, "%s",
                  gpu_error_text());
    ck_assert_int_eq(gpu_queue_open(&s->dev, &s->queue), GPU_OK);
    ck_assert_int_eq(gpu_alloc(&s->dev, 2 * WORDS * sizeof(uint32_t), &s->numbers), GPU_OK);
    ck_assert_int_eq(gpu_alloc(&s->dev, FLAGS, &s->flags), GPU_OK);
    ck_assert_int_eq(s->dev.backend->kernel(s->dev.impl, GPU_KERNEL_addsub_addsub, &s->kernel),
                     GPU_OK);
}

static void close_side(struct side *s) {
    gpu_release(&s->dev, s->numbers);
    gpu_release(&s->dev, s->flags);
    gpu_queue_close(&s->queue);
    gpu_close(&s->dev);
}

/* Launches the same sum of a few words with more and more work-groups, of which only the first one
 * has something to add. */
static void *launch(void *argument) {
    struct side *s = argument;
    enum gpu_status status = GPU_OK;
    struct gpu_arg args[] = {
        gpu_arg_mem(s->numbers), gpu_arg_u64(WORDS),    gpu_arg_mem(s->numbers),
        gpu_arg_u64(0),          gpu_arg_u64(WORDS),    gpu_arg_mem(s->numbers),
        gpu_arg_u64(0),          gpu_arg_u64(WORDS),    gpu_arg_u32(0),
        gpu_arg_mem(s->flags),   gpu_arg_mem(s->flags), gpu_arg_u32(0)};
    for (unsigned k = 1; k <= STEPS; k++) {
        pthread_barrier_wait(&begins);
        if (status == GPU_OK)
            status = s->dev.backend->launch(s->queue.impl, s->kernel, 2 * k + s->index, 1, args,
                                            sizeof args / sizeof *args);
        if (status == GPU_OK)
            status = gpu_finish(&s->queue);
    }
    if (status != GPU_OK)
        fprintf(stderr, "device %u: %s\n", s->index, gpu_error_text());
    return (void *)(uintptr_t)status;
}

static bool is_pair(int i) {
    return i + 1 < device_count && devices[i].backend == devices[i + 1].backend;
}

/* While one device runs the kernel, the other device launches it with more work-groups than in any
 * launch before. */
START_TEST(one_kernel_on_both) {
    static struct side sides[2];
    pthread_t threads[2];
    void *status;
    if (!is_pair(_i)) {
        printf("skipped: no device behind %s %d\n", devices[_i].backend->name, devices[_i].index);
        return;
    }
    pthread_barrier_init(&begins, NULL, 2);
    for (int i = 0; i < 2; i++)
        open_side(&sides[i], (unsigned)i, _i + i);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, launch, &sides[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &status);
        ck_assert_int_eq((int)(uintptr_t)status, GPU_OK);
    }
    for (int i = 0; i < 2; i++)
        close_side(&sides[i]);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, one_kernel_on_both, 0, device_count);
}

int main(void) {
    setenv("POCL_DEVICES", "basic basic", 1);
    /* makes PoCL build another version of the kernel for each number of work-groups */
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "1", 1);
    return run_on_devices("two devices", 120, add_tests);
}
