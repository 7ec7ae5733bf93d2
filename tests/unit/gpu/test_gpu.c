/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the backends: choice of a device, memory, copies, events, kernels. */
#include <string.h>
#include <sys/mman.h>

#include "tests/support/devices.h"
#include "tests/support/testing.h"

/* ---- setup opens a device and a queue for a test of a backend; teardown closes both */

static struct gpu_device dev;
static struct gpu_queue queue;

static void setup(int i) {
    ck_assert_msg(open_device(i, &dev) == GPU_OK, "%s", gpu_error_text());
    ck_assert_int_eq(gpu_queue_open(&dev, &queue), GPU_OK);
}

static void teardown(void) {
    gpu_queue_close(&queue);
    gpu_close(&dev);
}

static gpu_mem device_memory(size_t bytes) {
    gpu_mem mem;
    ck_assert_msg(gpu_alloc(&dev, bytes, &mem) == GPU_OK, "%s", gpu_error_text());
    return mem;
}

static unsigned char *host_memory(size_t bytes) {
    void *host;
    ck_assert_int_eq(dev.backend->host_alloc(dev.impl, bytes, &host), GPU_OK);
    return host;
}

static void fill_random(unsigned char *x, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        x[i] = (unsigned char)testing_below(256);
}

START_TEST(caps_make_sense) {
    setup(_i);
    ck_assert_str_ne(dev.caps.name, "");
    ck_assert_str_ne(dev.caps.driver, "");
    ck_assert_uint_ge(dev.caps.compute_units, 1);
    ck_assert_uint_ge(dev.caps.max_group, 64);
    ck_assert_uint_ge(dev.caps.local_bytes, 16384);
    ck_assert_uint_ge(dev.caps.max_alloc, 1 << 20);
    teardown();
}
END_TEST

START_TEST(chosen_by_name) {
    struct gpu_device other;
    char part[8];
    setup(_i);
    snprintf(part, sizeof part, "%.7s", dev.caps.name);
    for (char *c = part; *c; c++)
        *c ^= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ? 0x20 : 0;
    ck_assert_int_eq(gpu_open(dev.backend->name, part, 0, &other), GPU_OK);
    gpu_close(&other);
    teardown();
}
END_TEST

START_TEST(no_such_device) {
    struct gpu_device other;
    ck_assert_int_eq(gpu_open("auto", "no device has this name", 0, &other), GPU_ABSENT);
    ck_assert_int_eq(gpu_open("no backend either", "auto", 0, &other), GPU_ABSENT);
    ck_assert_int_eq(gpu_open(devices[_i].backend->name, "63", 0, &other), GPU_ABSENT);
    ck_assert_int_eq(gpu_open("auto", "auto", MOST_DEVICES, &other), GPU_ABSENT);
    ck_assert_ptr_null(other.backend);
    ck_assert_str_ne(gpu_error_text(), "");
}
END_TEST

START_TEST(none_after_stop) {
    struct gpu_device other;
    gpu_stop();
    ck_assert_int_eq(gpu_open("auto", "auto", 0, &other), GPU_FAILED);
}
END_TEST

START_TEST(write_and_read) {
    enum { BYTES = 100000 };
    setup(_i);
    gpu_mem mem = device_memory(BYTES);
    unsigned char *from = host_memory(BYTES), *to = host_memory(BYTES), *image = malloc(BYTES);
    fill_random(image, BYTES);
    memcpy(from, image, BYTES);
    ck_assert_int_eq(gpu_write(&queue, mem, 0, from, BYTES), GPU_OK);
    for (int k = 0; k < 20; k++) { /* writes and reads pieces at odd offsets */
        size_t at = testing_below(BYTES - 1), bytes = 1 + testing_below(BYTES - at);
        ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
        fill_random(from, bytes);
        memcpy(image + at, from, bytes);
        ck_assert_int_eq(gpu_write(&queue, mem, at, from, bytes), GPU_OK);
        at = testing_below(BYTES - 1), bytes = 1 + testing_below(BYTES - at);
        ck_assert_int_eq(gpu_read(&queue, to, mem, at, bytes), GPU_OK);
        ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
        ck_assert_mem_eq(to, image + at, bytes);
    }
    dev.backend->host_release(dev.impl, from);
    dev.backend->host_release(dev.impl, to);
    gpu_release(&dev, mem);
    free(image);
    teardown();
}
END_TEST

START_TEST(zero_part) {
    enum { BYTES = 4096 };
    setup(_i);
    gpu_mem mem = device_memory(BYTES);
    unsigned char *host = host_memory(BYTES);
    for (size_t at = 0; at < 6; at++)
        for (size_t bytes = 1; bytes < 2000; bytes = 3 * bytes + at) {
            memset(host, 0xff, BYTES);
            gpu_write(&queue, mem, 0, host, BYTES);
            ck_assert_int_eq(gpu_zero(&queue, mem, at, bytes), GPU_OK);
            gpu_read(&queue, host, mem, 0, BYTES);
            ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
            for (size_t i = 0; i < BYTES; i++)
                ck_assert_uint_eq(host[i], i >= at && i < at + bytes ? 0 : 0xff);
        }
    dev.backend->host_release(dev.impl, host);
    gpu_release(&dev, mem);
    teardown();
}
END_TEST

START_TEST(too_much_memory) {
    gpu_mem mem;
    setup(_i);
    ck_assert_int_eq(gpu_alloc(&dev, (size_t)1 << 50, &mem), GPU_NOMEM);
    ck_assert_str_ne(gpu_error_text(), "");
    /* the failed allocation must do no harm, so this one must succeed */
    mem = device_memory(1 << 20);
    gpu_release(&dev, mem);
    teardown();
}
END_TEST

/* A second queue, with `bytes` bytes of device memory and two blocks of host memory of the same
 * size. */
struct second {
    struct gpu_queue queue;
    gpu_mem mem;
    unsigned char *from, *to;
};

static void second_open(struct second *x, size_t bytes) {
    ck_assert_int_eq(gpu_queue_open(&dev, &x->queue), GPU_OK);
    x->mem = device_memory(bytes);
    x->from = host_memory(bytes);
    x->to = host_memory(bytes);
}

static void second_close(struct second *x) {
    dev.backend->host_release(dev.impl, x->from);
    dev.backend->host_release(dev.impl, x->to);
    gpu_release(&dev, x->mem);
    gpu_queue_close(&x->queue);
}

/* Makes the second queue wait for all commands that are in the first queue now. */
static gpu_event_impl *second_waits(struct second *x) {
    gpu_event_impl *event;
    ck_assert_int_eq(dev.backend->event_record(queue.impl, &event), GPU_OK);
    ck_assert_int_eq(dev.backend->queue_wait(x->queue.impl, event), GPU_OK);
    return event;
}

/* The first queue writes; the second queue waits for an event of the first queue and then reads. */
START_TEST(event_between_queues) {
    enum { BYTES = 1 << 22 };
    struct second x;
    setup(_i);
    second_open(&x, BYTES);
    for (int k = 1; k < 10; k++) {
        memset(x.from, k, BYTES);
        ck_assert_int_eq(gpu_write(&queue, x.mem, 0, x.from, BYTES), GPU_OK);
        gpu_event_impl *event = second_waits(&x);
        ck_assert_int_eq(gpu_read(&x.queue, x.to, x.mem, 0, BYTES), GPU_OK);
        ck_assert_int_eq(gpu_finish(&x.queue), GPU_OK);
        ck_assert_int_eq(dev.backend->event_wait(event), GPU_OK);
        dev.backend->event_release(event);
        ck_assert_mem_eq(x.from, x.to, BYTES);
    }
    second_close(&x);
    teardown();
}
END_TEST

/* The second queue waits for many events of the first queue, without other commands between. In the
 * end the host waits for the second queue. */
START_TEST(many_events) {
    enum { PIECE = 1 << 16, PIECES = 11, BYTES = PIECES * PIECE };
    struct second x;
    setup(_i);
    second_open(&x, BYTES);
    fill_random(x.from, BYTES);
    for (size_t at = 0; at < BYTES; at += PIECE) {
        ck_assert_int_eq(gpu_write(&queue, x.mem, at, x.from + at, PIECE), GPU_OK);
        dev.backend->event_release(second_waits(&x));
    }
    /* now all writes of the first queue must have ended, too, because the second queue has waited
     * for them */
    ck_assert_int_eq(gpu_finish(&x.queue), GPU_OK);
    ck_assert_int_eq(gpu_read(&x.queue, x.to, x.mem, 0, BYTES), GPU_OK);
    ck_assert_int_eq(gpu_finish(&x.queue), GPU_OK);
    ck_assert_mem_eq(x.from, x.to, BYTES);
    second_close(&x);
    teardown();
}
END_TEST

enum { LOCKED = 4 << 20, BEHIND = 256 << 20 };

static unsigned char *map_pages(void *at, int flags) {
    void *pages =
        mmap(at, LOCKED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    ck_assert(pages != MAP_FAILED);
    return pages;
}

/* Queues a download behind long work, then maps other pages at the same addresses. The download
 * must not change the new pages. */
static void copy_late(unsigned char *host, gpu_mem mem) {
    gpu_mem work = device_memory(BEHIND);
    for (int k = 0; k < 200; k++)
        ck_assert_int_eq(gpu_zero(&queue, work, 0, BEHIND), GPU_OK);
    ck_assert_int_eq(gpu_read(&queue, host, mem, 0, LOCKED), GPU_OK);
    map_pages(host, MAP_FIXED);
    memset(host, 1, LOCKED);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    ck_assert(host[0] == 1 && memcmp(host, host + 1, LOCKED - 1) == 0);
    gpu_release(&dev, work);
}

/* Page-locks existing host memory. Copies must read and write exactly those pages, and unlocking
 * must not change them. */
START_TEST(locked_memory) {
    setup(_i);
    unsigned char *host = map_pages(NULL, 0), *image = malloc(LOCKED);
    enum gpu_status status = dev.backend->host_register(dev.impl, host, LOCKED);
    ck_assert(status == GPU_OK || (status == GPU_ABSENT && *gpu_error_text()));
    if (status == GPU_OK) {
        gpu_mem mem = device_memory(LOCKED);
        fill_random(host, LOCKED);
        memcpy(image, host, LOCKED);
        ck_assert_int_eq(gpu_write(&queue, mem, 0, host, LOCKED), GPU_OK);
        ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
        memset(host, 0, LOCKED);
        ck_assert_int_eq(gpu_read(&queue, host, mem, 0, LOCKED), GPU_OK);
        ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
        ck_assert_mem_eq(host, image, LOCKED);
        copy_late(host, mem);
        dev.backend->host_unregister(dev.impl, host);
        ck_assert(host[0] == 1 && memcmp(host, host + 1, LOCKED - 1) == 0);
        gpu_release(&dev, mem);
    }
    printf("%s locks memory that is there: %s\n", dev.backend->name, gpu_status_text(status));
    munmap(host, LOCKED);
    free(image);
    teardown();
}
END_TEST

/* Launches one work-group of the addition kernel: {r, n} = {u, n} + {v, n}, where n counts 32-bit
 * words. */
static void launch_sum(gpu_kernel_impl *kernel, gpu_mem r, gpu_mem u, gpu_mem v, gpu_mem flags,
                       uint64_t n) {
    struct gpu_arg args[] = {gpu_arg_mem(r),     gpu_arg_u64(0),     gpu_arg_mem(u),
                             gpu_arg_u64(0),     gpu_arg_u64(n),     gpu_arg_mem(v),
                             gpu_arg_u64(0),     gpu_arg_u64(n),     gpu_arg_u32(0),
                             gpu_arg_mem(flags), gpu_arg_mem(flags), gpu_arg_u32(0)};
    const unsigned count = sizeof args / sizeof *args;
    ck_assert_int_eq(dev.backend->launch(queue.impl, kernel, 1, 1, args, count), GPU_OK);
}

START_TEST(kernel_runs) {
    enum { LIMBS = 500, BYTES = LIMBS * sizeof(mp_limb_t) };
    gpu_kernel_impl *kernel, *again;
    setup(_i);
    ck_assert_msg(dev.backend->kernel(dev.impl, GPU_KERNEL_addsub_addsub, &kernel) == GPU_OK, "%s",
                  gpu_error_text());
    ck_assert_int_eq(dev.backend->kernel(dev.impl, GPU_KERNEL_addsub_addsub, &again), GPU_OK);
    ck_assert_ptr_eq(kernel, again);
    gpu_mem u = device_memory(BYTES), v = device_memory(BYTES), r = device_memory(BYTES),
            flags = device_memory(64);
    mp_limb_t *host = (mp_limb_t *)host_memory(3 * BYTES), right[LIMBS];
    testing_limbs(host, LIMBS);
    testing_limbs(host + LIMBS, LIMBS);
    gpu_write(&queue, u, 0, host, BYTES);
    gpu_write(&queue, v, 0, host + LIMBS, BYTES);
    launch_sum(kernel, r, u, v, flags, 2 * LIMBS);
    gpu_read(&queue, host + 2 * LIMBS, r, 0, BYTES);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    mpn_add_n(right, host, host + LIMBS, LIMBS);
    ck_assert_mem_eq(right, host + 2 * LIMBS, BYTES);
    gpu_release(&dev, u), gpu_release(&dev, v), gpu_release(&dev, r), gpu_release(&dev, flags);
    dev.backend->host_release(dev.impl, host);
    teardown();
}
END_TEST

START_TEST(no_such_kernel) {
    gpu_kernel_impl *kernel;
    setup(_i);
    ck_assert_int_eq(dev.backend->kernel(dev.impl, GPU_KERNELS, &kernel), GPU_NOBUILD);
    ck_assert_int_eq(dev.backend->kernel(dev.impl, (enum gpu_kernel) - 1, &kernel), GPU_NOBUILD);
    teardown();
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, caps_make_sense, 0, device_count);
    tcase_add_loop_test(tests, chosen_by_name, 0, device_count);
    tcase_add_loop_test(tests, no_such_device, 0, device_count);
    tcase_add_test(tests, none_after_stop);
    tcase_add_loop_test(tests, write_and_read, 0, device_count);
    tcase_add_loop_test(tests, zero_part, 0, device_count);
    tcase_add_loop_test(tests, too_much_memory, 0, device_count);
    tcase_add_loop_test(tests, event_between_queues, 0, device_count);
    tcase_add_loop_test(tests, many_events, 0, device_count);
    tcase_add_loop_test(tests, locked_memory, 0, device_count);
    tcase_add_loop_test(tests, kernel_runs, 0, device_count);
    tcase_add_loop_test(tests, no_such_kernel, 0, device_count);
}

int main(void) {
    return run_on_devices("gpu", 120, add_tests);
}
