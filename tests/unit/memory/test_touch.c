/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests touch_all, which accesses a program's memory before a call uses it, so that the program's
 * signal handlers can make protected pages accessible. Checks which pages it accesses, and how. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/memory/pool.h"
#include "lib/memory/touch.h"
#include "tests/support/testing.h"

enum { PAGES = 16 };

static char *area;
static size_t page;
static int faults[PAGES];
static int keeps_one;

/* Signal handler of the program: makes a page readable at its first fault, and writable at its
 * second. */
static void open_page(int signal, siginfo_t *info, void *context) {
    char *at = info->si_addr;
    size_t i = (size_t)(at - area) / page;
    (void)signal, (void)context;
    if (at < area || i >= PAGES)
        _exit(1);
    if (keeps_one)
        mprotect(area, PAGES * page, PROT_NONE);
    mprotect(area + i * page, page, faults[i]++ ? PROT_READ | PROT_WRITE : PROT_READ);
}

static void handle(int signal) {
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    sigaction(signal, &action, NULL);
}

/* Fills the area with bytes that depend on their position, and makes it inaccessible. */
static void hide(void) {
    page = (size_t)sysconf(_SC_PAGESIZE);
    area = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(area, MAP_FAILED);
    testing_fill((unsigned char *)area, PAGES * page, 7);
    mprotect(area, PAGES * page, PROT_NONE);
}

/* Checks that the area is unchanged and that its pages had the expected faults. */
static void check_faults(const char *expected) {
    unsigned char *right = malloc(PAGES * page);
    char counts[PAGES + 1] = "";
    for (int i = 0; i < PAGES; i++)
        counts[i] = (char)('0' + faults[i]);
    ck_assert_str_eq(counts, expected);
    testing_fill(right, PAGES * page, 7);
    mprotect(area, PAGES * page, PROT_READ);
    ck_assert_int_eq(memcmp(area, right, PAGES * page), 0);
    free(right);
}

/* Pages of operands must be read, pages of results must be written with their own values, and other
 * pages must not be accessed. */
START_TEST(test_each_page) {
    hide();
    handle(SIGSEGV);
    /* the first area begins inside a page and ends with the last byte of its third page */
    const struct touch touches[] = {{area + page + 8, 3 * page - 8, 0},
                                    {area + 6 * page - 8, 16, 0},        /* two pages' ends */
                                    {area + 9 * page, 1, 0},             /* a byte */
                                    {area + 11 * page, 0, 0},            /* nothing */
                                    {area + 13 * page - 8, page + 9, 1}, /* a result */
                                    {NULL, 0, 1}};
    ck_assert_int_eq(touch_all(touches, 6), 1);
    check_faults("0111011001002220");
}
END_TEST

START_TEST(test_handler_of_sigbus) {
    hide();
    handle(SIGBUS);
    signal(SIGSEGV, SIG_IGN);
    const struct touch empty = {area, 0, 0};
    ck_assert_int_eq(touch_all(&empty, 1), 1);
    handle(SIGSEGV);
    signal(SIGBUS, SIG_DFL);
    const struct touch touches[] = {{area, page, 0}};
    ck_assert_int_eq(touch_all(touches, 1), 1);
    check_faults("1000000000000000");
}
END_TEST

/* If the program handles neither SIGSEGV nor SIGBUS, no page may be accessed. */
START_TEST(test_no_handler) {
    hide();
    const struct touch touches[] = {{area, PAGES * page / 2, 0},
                                    {area + PAGES * page / 2, PAGES * page / 2, 1}};
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_IGN);
    ck_assert_int_eq(touch_all(touches, 2), 1);
    check_faults("0000000000000000");
}
END_TEST

/* Pages of the pool (the library's memory for large results) must never be accessed. */
START_TEST(test_pool) {
    hide();
    handle(SIGSEGV);
    atomic_store(&range_begin, (uintptr_t)(area + 4 * page));
    atomic_store(&range_bytes, 8 * page);
    const struct touch touches[] = {
        {area + 4 * page, page, 0}, {area + 6 * page, page, 1}, {area + 12 * page, page, 0}};
    ck_assert_int_eq(touch_all(touches, 3), 1);
    check_faults("0000000000001000");
    ck_assert_int_eq(touch_all(touches, 2), 1);
}
END_TEST

/* The handler makes all other pages inaccessible at each fault, so the first page is lost when a
 * later one is accessed. touch_all must notice this and return 0. */
START_TEST(test_taken_back) {
    hide();
    char *own = malloc(1);
    int knows = madvise(area, page, 22) != 0 &&
                madvise((char *)((uintptr_t)own / page * page), page, 22) == 0;
    free(own);
    if (!knows) {
        testing_skip("pages taken back: before Linux 5.14 the kernel can't be asked");
        return;
    }
    handle(SIGSEGV);
    keeps_one = 1;
    const struct touch one[] = {{area, page, 0}}, two[] = {{area, 2 * page, 0}},
                       operands[] = {{area, page, 0}, {area + 3 * page, page, 0}};
    ck_assert_int_eq(touch_all(one, 1), 1);
    ck_assert_int_eq(touch_all(two, 1), 0);
    ck_assert_int_eq(touch_all(operands, 2), 0);
}
END_TEST

/* Writes to missing pages alone, changes no byte, and accesses nothing before or behind the result.
 */
START_TEST(test_missing) {
    unsigned char present[PAGES];
    page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(p != MAP_FAILED);
    p[3 * page + 7] = 42;
    ck_assert_uint_gt(touch_missing(p + 2 * page - 1, 4 * page + 2), 0);
    ck_assert_int_eq(mincore(p, PAGES * page, present), 0);
    for (size_t i = 0; i < PAGES; i++)
        ck_assert_int_eq(present[i] & 1, i >= 1 && i <= 6);
    ck_assert_int_eq(p[3 * page + 7], 42);
    ck_assert_uint_eq(touch_missing(p + 2 * page - 1, 4 * page + 2), 0);
    munmap(p, PAGES * page);
}
END_TEST

int main(void) {
    return testing_main("touch", 4,
                        TESTS(ONCE(test_each_page), ONCE(test_handler_of_sigbus),
                              ONCE(test_no_handler), ONCE(test_pool), ONCE(test_taken_back),
                              ONCE(test_missing)));
}
