/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the access guard. When the library gives up a device, the guard replaces memory pages of
 * the program, so that the device cannot write to the new ones. Also tests threads that close the
 * guard or release memory at the same time. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/process/access_guard.h"
#include "tests/support/testing.h"

enum { PAGE = 4096, PAGES = 1024 };

static char *map(size_t pages) {
    char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    memset(p, 7, pages * PAGE);
    return p;
}

/* Pages that the device could still write to when the access guard was closed must be replaced by
 * new ones. All other memory must be unchanged. */
START_TEST(parts_are_replaced) {
    static struct access_guard guard;
    char *begin, *p = map(16);
    ck_assert(access_guard_acquire(&guard, &begin, p + 8 * PAGE, PAGE));
    ck_assert(access_guard_acquire(&guard, &p, p + 2 * PAGE, 3 * PAGE));
    ck_assert_uint_eq(access_guard_replaced(p, 16 * PAGE, &begin), 0);
    access_guard_close(&guard);
    ck_assert_uint_eq(access_guard_replaced(p, 16 * PAGE, &begin), 3 * PAGE);
    ck_assert_ptr_eq(begin, p + 2 * PAGE);
    ck_assert_uint_eq(access_guard_replaced(p + 4 * PAGE, 4 * PAGE, &begin), PAGE);
    ck_assert_ptr_eq(begin, p + 4 * PAGE);
    ck_assert_uint_eq(access_guard_replaced(p + 5 * PAGE, 11 * PAGE, &begin), PAGE);
    ck_assert_ptr_eq(begin, p + 8 * PAGE);
    ck_assert_uint_eq(access_guard_replaced(p + 9 * PAGE, 7 * PAGE, &begin), 0);
    ck_assert_int_eq(p[8 * PAGE], 0);
    ck_assert_int_eq(p[9 * PAGE], 7);
}
END_TEST

/* ---- two threads */

static struct access_guard guard;
static pthread_barrier_t both;
static char *memory;

static void *close_guard(void *unused) {
    pthread_barrier_wait(&both);
    access_guard_close(&guard);
    return unused;
}

/* Function of a thread. Ends the device's use of the memory, by release or by closing the access
 * guard; then writes a result there, as GMP would. */
static void *write_result(void *ends) {
    pthread_barrier_wait(&both);
    if (*(const bool *)ends)
        access_guard_release(&guard, &guard);
    else
        access_guard_close(&guard);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    return NULL;
}

static size_t lost_pages(void) {
    size_t lost = 0;
    for (size_t i = 0; i < PAGES; i++)
        lost += memory[i * PAGE] != 1;
    return lost;
}

/* Runs two threads at the same time. One closes the access guard; the other one closes it too, or
 * releases the memory because the device has finished. No result that is written after that may be
 * lost. */
static void race(bool ends) {
    pthread_t thread[2];
    memset(&guard, 0, sizeof guard);
    memory = map(PAGES);
    ck_assert(access_guard_acquire(&guard, &guard, memory, PAGES * PAGE));
    ck_assert_int_eq(pthread_create(&thread[0], NULL, close_guard, NULL), 0);
    ck_assert_int_eq(pthread_create(&thread[1], NULL, write_result, &ends), 0);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    ck_assert_uint_eq(lost_pages(), 0);
    munmap(memory, PAGES * PAGE);
}

START_TEST(results_stay) {
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 400; i++)
        race(_i);
}
END_TEST

int main(void) {
    return testing_main("access_guard", 120,
                        TESTS(ONCE(parts_are_replaced), LOOP(results_stay, 2)));
}
