/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of a CPU in their own process: what the channel has to carry, and its end. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/remote/remote_channel.h"
#include "gpu/remote/remote_host.h"
#include "tests/support/opened.h"
#include "tests/support/wide_pages.h"

static int process; /* the device's */

/* The message that tells of it. */
static void take_process(int level, const char *text) {
    const char *number = strstr(text, ": process ");
    (void)level;
    if (number)
        process = atoi(number + 10);
}

/* 0: this device works here. */
static int setup_apart(int i) {
    gpu_set_logger(take_process);
    setup(i);
    if (!dev.caps.is_cpu) {
        testing_skip("%s is no CPU", dev.caps.name);
        return 0;
    }
    ck_assert_int_gt(process, 0);
    return 1;
}

START_TEST(is_no_child) {
    if (!setup_apart(_i))
        return;
    ck_assert_int_eq(kill(process, 0), 0);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG | __WALL), -1);
    ck_assert_int_eq(errno, ECHILD);
    teardown();
}
END_TEST

/* Far more requests than the ring holds, none of them waited for. */
START_TEST(ring_is_full) {
    enum { COUNT = 20 * REMOTE_RING };
    static unsigned char back[COUNT];
    if (!setup_apart(_i))
        return;
    gpu_mem mem = device_memory(COUNT);
    memset(back, 0xff, COUNT);
    ck_assert_int_eq(gpu_write(&queue, mem, 0, back, COUNT), GPU_OK);
    for (size_t at = 0; at < COUNT; at += 2)
        ck_assert_int_eq(gpu_zero(&queue, mem, at, 1), GPU_OK);
    ck_assert_int_eq(gpu_read(&queue, back, mem, 0, COUNT), GPU_OK);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    for (size_t at = 0; at < COUNT; at++)
        ck_assert_uint_eq(back[at], at % 2 ? 0xff : 0);
    teardown();
}
END_TEST

/* It sleeps, and stops there, while requests come: only itself says that it is awake.  Otherwise a
 * late push for a request that it has seen could send it to sleep unseen. */
START_TEST(only_itself_wakes_up) {
    if (!setup_apart(_i))
        return;
    struct remote_shared *shared = (struct remote_shared *)(void *)(remote_memory() - REMOTE_HOST);
    gpu_mem mem = device_memory(64);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    for (int ms = 0; ms < 20000 && !atomic_load(&shared->is_asleep); ms++)
        usleep(1000);
    ck_assert_int_eq(kill(process, SIGSTOP), 0);
    for (int i = 0; i < REMOTE_RING * 3 / 4; i++)
        ck_assert_int_eq(gpu_zero(&queue, mem, 0, 1), GPU_OK);
    int is_asleep = atomic_load(&shared->is_asleep);
    ck_assert_int_eq(kill(process, SIGCONT), 0);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    ck_assert_int_eq(is_asleep, 1);
    teardown();
}
END_TEST

/* Memory that the other side does not see: several pieces and a part of one. */
START_TEST(memory_elsewhere) {
    const size_t bytes = 3 * REMOTE_PIECE + 12345;
    if (!setup_apart(_i))
        return;
    unsigned char *from = malloc(bytes), *to = malloc(bytes);
    ck_assert(from && to);
    for (size_t at = 0; at < bytes; at++)
        from[at] = (unsigned char)testing_below(256);
    gpu_mem mem = device_memory(bytes + 7);
    ck_assert_int_eq(gpu_write(&queue, mem, 7, from, bytes), GPU_OK);
    ck_assert_int_eq(gpu_read(&queue, to, mem, 7, bytes), GPU_OK);
    ck_assert_mem_eq(from, to, bytes);
    free(from), free(to);
    teardown();
}
END_TEST

/* Blocks lie apart, come back, and run out. */
START_TEST(host_memory) {
    enum { COUNT = 40 };
    const size_t large = REMOTE_HOST_BYTES / COUNT;
    void *block[COUNT], *more;
    if (!setup_apart(_i))
        return;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            ck_assert_int_eq(dev.backend->host_alloc(dev.impl, large - 4096, &block[i]), GPU_OK);
            memset(block[i], i, 5000);
        }
        ck_assert_int_eq(dev.backend->host_alloc(dev.impl, REMOTE_HOST_BYTES / 2, &more),
                         GPU_NOMEM);
        for (int i = 0; i < COUNT; i++)
            ck_assert_uint_eq(((unsigned char *)block[i])[4999], i);
        for (int i = round; i < COUNT + round; i++)
            dev.backend->host_release(dev.impl, block[i % COUNT]);
    }
    teardown();
}
END_TEST

/* Several lie in a page of the system, and the first of them comes back. */
START_TEST(short_blocks) {
    enum { BYTES = 4096, COUNT = 2 * WIDE_PAGE / BYTES };
    void *block[COUNT];
    if (!setup_apart(_i))
        return;
    for (int i = 0; i < COUNT; i++) {
        ck_assert_int_eq(remote_host_alloc(dev.impl, BYTES, &block[i]), GPU_OK);
        memset(block[i], i + 1, BYTES);
    }
    pages_are_wide = true;
    for (int i = 0; i < COUNT; i++)
        if ((uintptr_t)block[i] % WIDE_PAGE == 0)
            remote_host_release(dev.impl, block[i]);
    pages_are_wide = false;
    for (int i = 0; i < COUNT; i++)
        ck_assert((uintptr_t)block[i] % WIDE_PAGE == 0 || *(char *)block[i] == i + 1);
    teardown();
}
END_TEST

/* A launch in a queue of the other side, and whether it has failed. */
static enum gpu_status launch_there(uint64_t there, uint64_t kernel) {
    enum { EVENT = REMOTE_EVENTS - 1 };
    const struct remote_request launch = {.op = REMOTE_LAUNCH, .a = {there, kernel, 1, 1}};
    const struct remote_request record = {.op = REMOTE_RECORD, .a = {there, EVENT}};
    const struct remote_request wait = {.op = REMOTE_WAIT, .a = {EVENT}};
    const struct remote_request forget = {.op = REMOTE_FORGET, .a = {EVENT}};
    ck_assert_int_eq(remote_post(&launch, false), GPU_OK);
    ck_assert_int_eq(remote_post(&record, false), GPU_OK);
    enum gpu_status status = remote_call(&wait, false, NULL);
    ck_assert_int_eq(remote_post(&forget, false), GPU_OK);
    return status;
}

/* The other side refuses numbers of kernels that are none. */
START_TEST(no_such_kernel_there) {
    const uint64_t numbers[] = {GPU_KERNELS, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    const struct remote_request open = {.op = REMOTE_QUEUE_OPEN};
    uint64_t there;
    if (!setup_apart(_i))
        return;
    ck_assert_int_eq(remote_call(&open, false, &there), GPU_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct remote_request make = {.op = REMOTE_KERNEL, .a = {numbers[i]}};
        ck_assert_int_eq(remote_call(&make, false, NULL), GPU_NOBUILD);
        ck_assert_int_eq(launch_there(there, numbers[i]), GPU_NOBUILD);
    }
    const struct remote_request close = {.op = REMOTE_QUEUE_CLOSE, .a = {there}};
    ck_assert_int_eq(remote_call(&close, false, NULL), GPU_OK);
    teardown();
}
END_TEST

/* An event is kept while as many others come and go as have numbers.  What the last one tells is
 * not forgotten with the first. */
START_TEST(an_event_is_kept) {
    gpu_event_impl *kept, *other;
    if (!setup_apart(_i))
        return;
    gpu_mem mem = device_memory(64);
    ck_assert_int_eq(dev.backend->event_record(queue.impl, &kept), GPU_OK);
    for (int k = 1; k < REMOTE_EVENTS; k++) {
        ck_assert_int_eq(dev.backend->event_record(queue.impl, &other), GPU_OK);
        dev.backend->event_release(other);
    }
    ck_assert_int_eq(gpu_zero(&queue, mem, 1000, 64), GPU_OK); /* beyond its end */
    ck_assert_int_eq(dev.backend->event_record(queue.impl, &other), GPU_OK);
    dev.backend->event_release(kept);
    ck_assert_int_ne(dev.backend->event_wait(other), GPU_OK);
    dev.backend->event_release(other);
    gpu_release(&dev, mem);
    teardown();
}
END_TEST

/* As many as there are numbers can be kept, and one more when one has gone. */
START_TEST(most_events) {
    static gpu_event_impl *event[REMOTE_EVENTS];
    gpu_event_impl *more;
    if (!setup_apart(_i))
        return;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < REMOTE_EVENTS; k++)
            ck_assert_int_eq(dev.backend->event_record(queue.impl, &event[k]), GPU_OK);
        ck_assert_int_eq(dev.backend->event_record(queue.impl, &more), GPU_NOMEM);
        dev.backend->event_release(event[77]);
        ck_assert_int_eq(dev.backend->event_record(queue.impl, &event[77]), GPU_OK);
        for (int k = 0; k < REMOTE_EVENTS; k++) {
            ck_assert_int_eq(dev.backend->event_wait(event[k]), GPU_OK);
            dev.backend->event_release(event[k]);
        }
    }
    teardown();
}
END_TEST

/* What fails without an answer is told by the next event, of another queue that waits too. */
START_TEST(failure_is_kept) {
    struct gpu_queue other;
    gpu_event_impl *event;
    unsigned char byte = 1;
    if (!setup_apart(_i))
        return;
    ck_assert_int_eq(gpu_queue_open(&dev, &other), GPU_OK);
    gpu_mem mem = device_memory(64);
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(gpu_zero(&queue, mem, 1000, 64), GPU_OK);
        ck_assert_int_eq(gpu_zero(&queue, mem, 0, 64), GPU_OK); /* not done any more */
        ck_assert_int_eq(dev.backend->event_record(queue.impl, &event), GPU_OK);
        ck_assert_int_eq(dev.backend->queue_wait(other.impl, event), GPU_OK);
        ck_assert_int_ne(gpu_finish(&other), GPU_OK);
        ck_assert_str_ne(gpu_error_text(), "");
        ck_assert_int_ne(dev.backend->event_wait(event), GPU_OK);
        dev.backend->event_release(event);
        ck_assert_int_eq(gpu_finish(&other), GPU_OK);
        ck_assert_int_eq(gpu_finish(&queue), GPU_OK); /* told once */
        ck_assert_int_eq(gpu_write(&queue, mem, 0, &byte, 1), GPU_OK);
    }
    gpu_queue_close(&other);
    teardown();
}
END_TEST

/* The process ends, idle or with requests before it: each call fails soon, none hangs or kills. */
START_TEST(process_ends) {
    enum { COUNT = 3 * REMOTE_RING };
    unsigned char byte = 1;
    gpu_mem mem;
    if (!setup_apart(_i))
        return;
    mem = device_memory(64 << 20);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(gpu_zero(&queue, mem, 0, 64 << 20), GPU_OK);
    ck_assert_int_eq(kill(process, SIGKILL), 0);
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < COUNT && status == GPU_OK; i++)
        status = gpu_zero(&queue, mem, 0, 1);
    ck_assert_int_eq(status, GPU_FAILED);
    ck_assert_int_eq(gpu_finish(&queue), GPU_FAILED);
    ck_assert_int_eq(gpu_read(&queue, &byte, mem, 0, 1), GPU_FAILED);
    ck_assert_int_eq(gpu_alloc(&dev, 64, &mem), GPU_FAILED);
    ck_assert_msg(strstr(gpu_error_text(), "has ended") != NULL, "%s", gpu_error_text());
    gpu_release(&dev, mem);
    teardown();
}
END_TEST

/* It is gone when the program is. */
START_TEST(ends_with_the_program) {
    int pipes[2], status, number = 0;
    ck_assert_int_eq(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        number = setup_apart(_i) ? process : 0;
        _exit(write(pipes[1], &number, sizeof number) != sizeof number);
    }
    ck_assert_int_eq(read(pipes[0], &number, sizeof number), sizeof number);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    char path[64], state = 0;
    for (int i = 0; number && i < 500; i++, usleep(10000)) {
        snprintf(path, sizeof path, "/proc/%d/stat", number);
        FILE *file = fopen(path, "r");
        state = 'Z'; /* gone, or waiting for init */
        if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            state = 'Z';
        if (file)
            fclose(file);
        if (state == 'Z' || state == 'X')
            return;
    }
    ck_assert_msg(!number, "still there, %c", state);
}
END_TEST

static int fails_to_open(const char *program, const char *why) {
    const struct gpu_backend *backend = devices[0].backend;
    struct gpu_caps caps[1];
    gpu_set_cpu_program(program);
    int count = backend->cpus ? backend->cpus->enumerate(caps, 1) : -1;
    if (count < 0)
        testing_skip("%s has no process of its own", backend->name);
    return count < 0 || (count == 0 && strstr(gpu_error_text(), why));
}

START_TEST(no_program) {
    ck_assert_msg(fails_to_open("/nonexistent/mpgpu-cpu", "/nonexistent/mpgpu-cpu: No such file"),
                  "%s", gpu_error_text());
}
END_TEST

START_TEST(another_program) {
    ck_assert_msg(fails_to_open("/bin/true", "/bin/true: it does not begin"), "%s",
                  gpu_error_text());
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, is_no_child, 0, device_count);
    tcase_add_loop_test(tests, ring_is_full, 0, device_count);
    tcase_add_loop_test(tests, only_itself_wakes_up, 0, device_count);
    tcase_add_loop_test(tests, memory_elsewhere, 0, device_count);
    tcase_add_loop_test(tests, host_memory, 0, device_count);
    tcase_add_loop_test(tests, short_blocks, 0, device_count);
    tcase_add_loop_test(tests, no_such_kernel_there, 0, device_count);
    tcase_add_loop_test(tests, an_event_is_kept, 0, device_count);
    tcase_add_loop_test(tests, most_events, 0, device_count);
    tcase_add_loop_test(tests, failure_is_kept, 0, device_count);
    tcase_add_loop_test(tests, process_ends, 0, device_count);
    tcase_add_loop_test(tests, ends_with_the_program, 0, device_count);
    tcase_add_test(tests, no_program);
    tcase_add_test(tests, another_program);
}

int main(void) {
    return run_on_devices("remote", 120, add_tests);
}
