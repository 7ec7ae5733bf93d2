/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens a device and a queue before each test of a backend, and closes them after it. */
#ifndef MPGPU_TEST_OPENED_H
#define MPGPU_TEST_OPENED_H

#include "tests/support/devices.h"
#include "tests/support/testing.h"

static struct gpu_device dev;
static struct gpu_queue queue;

static inline void setup(int i) {
    ck_assert_msg(open_device(i, &dev) == GPU_OK, "%s", gpu_error_text());
    ck_assert_int_eq(gpu_queue_open(&dev, &queue), GPU_OK);
}

static inline void teardown(void) {
    gpu_queue_close(&queue);
    gpu_close(&dev);
}

static inline gpu_mem device_memory(size_t bytes) {
    gpu_mem mem;
    ck_assert_msg(gpu_alloc(&dev, bytes, &mem) == GPU_OK, "%s", gpu_error_text());
    return mem;
}

#endif
