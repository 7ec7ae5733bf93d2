/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests variables of which each thread has its own copy (THREAD_MEMORY), and the library when there
 * is no memory for them. */
#include "tests/support/testing.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/gpu.h"
#include "gpu/host/pages.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/base/thresholds.h"
#include "lib/dispatch/dispatch.h"
#include "lib/job/limbs.h"
#include "lib/process/executor.h"
#include "tests/support/devices.h"

static THREAD_MEMORY long numbers[3];
static THREAD_MEMORY char letter;

/* ---- a substitute for mmap, which fails or raises a signal when it allocates a thread's page */

static atomic_bool none_is_left, is_interrupted;

void *__real_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);

void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset) {
    bool is_of_thread = (flags & MAP_ANONYMOUS) && bytes <= pages_size();
    if (is_of_thread && atomic_load(&none_is_left)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    if (is_of_thread && atomic_exchange(&is_interrupted, false))
        raise(SIGUSR1);
    return __real_mmap(at, bytes, access, flags, file, offset);
}

static bool is_mapped(void *p) {
    return msync(pages_of(p), pages_size(), MS_ASYNC) == 0;
}

static void *in_thread(void *(*function)(void *), void *argument) {
    pthread_t thread;
    void *result;
    ck_assert_int_eq(pthread_create(&thread, NULL, function, argument), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    return result;
}

/* Checks that this thread's copy of `numbers` has only zeros, fills it and returns it. */
static long *write_numbers(long value) {
    ck_assert_ptr_null(THREAD_MEMORY_FIND(numbers));
    long *mine = *THREAD_MEMORY_GET(numbers);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mine[i], 0);
        mine[i] = value + i;
    }
    ck_assert_int_eq(*THREAD_MEMORY_GET(letter), 0);
    *THREAD_MEMORY_GET(letter) = 'x';
    ck_assert_ptr_eq(*THREAD_MEMORY_FIND(numbers), mine);
    return mine;
}

static void *write_others(void *unused) {
    (void)unused;
    long *mine = write_numbers(40);
    ck_assert_int_eq(mine[2], 42);
    return mine;
}

START_TEST(a_copy_for_each_thread) {
    const long *mine = write_numbers(10);
    void *others = in_thread(write_others, NULL);
    ck_assert_ptr_ne(mine, others);
    ck_assert_int_eq(mine[0], 10);
    ck_assert_int_eq(mine[2], 12);
    ck_assert_int_eq(*THREAD_MEMORY_FIND(letter), 'x');
}
END_TEST

/* A new thread must get the page of a thread that has ended, filled with zeros again (write_numbers
 * checks that). */
START_TEST(used_again) {
    write_numbers(1);
    void *first = in_thread(write_others, NULL), *second = in_thread(write_others, NULL);
    ck_assert_ptr_eq(first, second);
}
END_TEST

enum { MANY = 60, SPARES = 8 };
static pthread_barrier_t all_have_written;

static void *write_together(void *unused) {
    long *mine = write_others(unused);
    pthread_barrier_wait(&all_have_written);
    return mine;
}

/* After many threads have ended, only SPARES of their pages may still be mapped. */
START_TEST(unmapped_at_the_end) {
    pthread_t thread[MANY];
    void *memory[MANY];
    int count = 0;
    pthread_barrier_init(&all_have_written, NULL, MANY);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, write_together, NULL), 0);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(pthread_join(thread[i], &memory[i]), 0);
    for (int i = 0; i < MANY; i++)
        count += is_mapped(memory[i]);
    ck_assert_int_eq(count, SPARES);
}
END_TEST

/* A key whose destructor the C library calls after the library's own destructor, which has freed
 * the thread's page. */
static pthread_key_t later;
static void *mapped_late;

static void map_late(void *unused) {
    (void)unused;
    mapped_late = write_numbers(7);
}

static void *end_with_key(void *unused) {
    pthread_setspecific(later, &later);
    return write_others(unused);
}

/* A destructor uses the thread's variables again after the library's own destructor has run. The
 * memory of these variables must be released, too: the next thread must get it. */
START_TEST(released_after_other_destructors) {
    write_numbers(1);
    ck_assert_int_eq(pthread_key_create(&later, map_late), 0);
    in_thread(end_with_key, NULL);
    ck_assert_ptr_nonnull(mapped_late);
    ck_assert_ptr_eq(in_thread(write_others, NULL), mapped_late);
}
END_TEST

static void *mapped_in_handler;

static void map_in_handler(int unused) {
    (void)unused;
    mapped_in_handler = THREAD_MEMORY_GET(numbers);
}

/* A signal handler uses the variables while the interrupted code is allocating their page. Handler
 * and code must get the same page, and errno must be unchanged. */
START_TEST(mapped_in_a_handler) {
    signal(SIGUSR1, map_in_handler);
    atomic_store(&is_interrupted, true);
    errno = EILSEQ;
    void *mine = THREAD_MEMORY_GET(numbers);
    ck_assert_int_eq(errno, EILSEQ);
    ck_assert_ptr_nonnull(mapped_in_handler);
    ck_assert_ptr_eq(mine, mapped_in_handler);
}
END_TEST

START_TEST(copied_by_fork) {
    int status;
    long *mine = write_numbers(20);
    pid_t child = fork();
    if (child == 0) {
        bool is_right = *THREAD_MEMORY_FIND(numbers) == mine && mine[1] == 21;
        mine[1] = 0;
        _exit(is_right ? 3 : 4);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    ck_assert_int_eq(mine[1], 21);
}
END_TEST

/* ---- without memory */

START_TEST(texts_without_memory) {
    atomic_store(&none_is_left, true);
    errno = EILSEQ;
    ck_assert_ptr_null(THREAD_MEMORY_GET(numbers));
    ck_assert_int_eq(errno, EILSEQ);
    ck_assert_str_eq(gpu_error_text(), "");
    ck_assert_int_eq(gpu_fail(GPU_FAILED, "%d", 5), GPU_FAILED);
    ck_assert_str_ne(gpu_error_text(), "");
    ck_assert_str_eq(mpgpu_error(), "");
    ck_assert_ptr_null(mpgpu_batch_create(0, 1));
    ck_assert_str_ne(mpgpu_error(), "");
    atomic_store(&none_is_left, false);
    gpu_fail(GPU_FAILED, "%d", 5);
    ck_assert_str_eq(gpu_error_text(), "5");
    ck_assert_ptr_null(mpgpu_batch_create(0, 1));
    ck_assert_str_eq(mpgpu_error(), "arguments that do not fit together");
}
END_TEST

START_TEST(calls_without_memory) {
    struct dispatch_call call;
    atomic_store(&none_is_left, true);
    stats_add(&(struct stats_times){.upload = 1});
    stats_count(0, OUTCOME_DONE, 1, 1, NULL);
    stats_begin();
    mpgpu_conf.mul = MPGPU_UNSET; /* no order */
    ck_assert_int_eq(dispatch_begin(&call, &thresholds.mul, 1000, 2000), OUTCOME_DONE);
    ck_assert(!call.is_asked);
    ck_assert_int_eq(dispatch_cost(), 0);
    dispatch_give_up(&call);
    dispatch_end(&call, OUTCOME_DONE);
    ck_assert_uint_eq(executor_spin_times(3), 1);
    ck_assert_uint_eq(executor_spin_times(1), 1);
    ck_assert(!executor_is_here());
    executor_progress();
    atomic_store(&none_is_left, false);
    dispatch_begin(&call, &thresholds.mul, 1000, 2000);
    ck_assert(call.is_asked);
    dispatch_end(&call, OUTCOME_NONE);
}
END_TEST

static void multiply(size_t n) {
    mp_limb_t *up = malloc(n * sizeof *up), *rp = malloc(2 * n * sizeof *rp),
              *right = malloc(2 * n * sizeof *right);
    testing_limbs(up, n);
    mpn_sqr(right, up, (mp_size_t)n);
    ck_assert_int_eq(limbs_mul(rp, up, n, up, n), OUTCOME_DONE);
    ck_assert_int_eq(mpn_cmp(rp, right, (mp_size_t)(2 * n)), 0);
    free(up);
    free(rp);
    free(right);
}

/* mmap fails for the pages of all threads, those of the program and of the library, also in a child
 * of fork. The device must still compute. */
START_TEST(device_without_memory) {
    int status;
    atomic_store(&none_is_left, true);
    session_open_any();
    configure(_i, "open:wait,server:off,stats:text");
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    multiply(3000);
    multiply(30);
    pid_t child = fork();
    if (child == 0)
        exit(3);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    multiply(5000);
    ck_assert_ptr_null(THREAD_MEMORY_FIND(numbers));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_copy_for_each_thread);
    tcase_add_test(tests, used_again);
    tcase_add_test(tests, unmapped_at_the_end);
    tcase_add_test(tests, released_after_other_destructors);
    tcase_add_test(tests, mapped_in_a_handler);
    tcase_add_test(tests, copied_by_fork);
    tcase_add_test(tests, texts_without_memory);
    tcase_add_test(tests, calls_without_memory);
    tcase_add_loop_test(tests, device_without_memory, 0, device_count);
}

int main(void) {
    Suite *suite = suite_create("thread_memory");
    TCase *tests = tcase_create("threads");
    find_devices();
    testing_random();
    tcase_set_timeout(tests, 600);
    add_tests(tests);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
