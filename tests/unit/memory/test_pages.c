/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the library's madvise calls on a system whose pages are longer than the pool's units: the
 * advice must cover only whole pages. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/host/pages.h"
#include "lib/memory/segments.h"
#include "tests/support/pools.h"
#include "tests/support/testing.h"
#include "tests/support/wide_pages.h"

enum { PAGES = 4, BLOCKS = 24, BYTES = 75000 /* five units */ };

/* ---- advice */

/* Fills four pages, and advises the system by MADV_DONTNEED that the bytes from at to at + bytes
 * are no longer needed. Returns how many bytes of the pages have become 0. */
static size_t lost(size_t at, size_t bytes) {
    char *p = mmap(NULL, (PAGES + 1) * WIDE_PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         *begin;
    size_t zeros = 0;
    ck_assert(p != MAP_FAILED);
    ck_assert_uint_ge(pages_within(p, (PAGES + 1) * WIDE_PAGE, &begin), PAGES * WIDE_PAGE);
    memset(begin, 1, PAGES * WIDE_PAGE);
    pages_advise(begin + at, bytes, MADV_DONTNEED);
    for (size_t i = 0; i < PAGES * WIDE_PAGE; i++)
        zeros += begin[i] == 0;
    munmap(p, (PAGES + 1) * WIDE_PAGE);
    return zeros;
}

START_TEST(whole_pages) {
    pages_are_wide = true;
    ck_assert_uint_eq(pages_size(), WIDE_PAGE);
    ck_assert_uint_eq(lost(0, 2 * WIDE_PAGE), 2 * WIDE_PAGE);
    ck_assert_uint_eq(lost(0, 2 * WIDE_PAGE - 1), WIDE_PAGE);
    ck_assert_uint_eq(lost(1, 2 * WIDE_PAGE), WIDE_PAGE);
    ck_assert_uint_eq(lost(0, WIDE_PAGE - 1), 0);
    ck_assert_uint_eq(lost(4096, WIDE_PAGE), 0);
}
END_TEST

/* ---- shared memory in a program that locks its memory by mlockall */

START_TEST(shared_is_not_locked) {
    const size_t bytes = (size_t)64 << 20;
    struct stat status;
    int file = memfd_create("shared", MFD_CLOEXEC);
    ck_assert(file >= 0 && ftruncate(file, (off_t)bytes) == 0);
    if (mlockall(MCL_FUTURE) != 0) {
        testing_skip("memory that is locked: it is not allowed");
        return;
    }
    char *p = pages_share(file, bytes);
    if (p == MAP_FAILED) {
        testing_skip("memory that is locked: too little is allowed");
        return;
    }
    ck_assert(fstat(file, &status) == 0);
    ck_assert_int_eq(status.st_blocks, 0);
    memset(p, 1, 4096);
    ck_assert(fstat(file, &status) == 0);
    ck_assert_int_le(status.st_blocks, (blkcnt_t)(bytes / 4 / 512));
}
END_TEST

/* ---- the pool */

static char *block[BLOCKS];

static void fill(void) {
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = pool_alloc(BYTES);
        ck_assert_ptr_nonnull(block[i]);
        memset(block[i], i + 1, BYTES);
    }
}

static void release(int i) {
    pool_free(block[i]);
    block[i] = NULL;
}

/* Returns how many blocks have lost the bytes that were written to them. */
static int wrong(void) {
    int count = 0;
    for (int i = 0; i < BLOCKS; i++) {
        size_t same = 0;
        while (block[i] && same < BYTES && block[i][same] == i + 1)
            same++;
        count += block[i] && same < BYTES;
    }
    return count;
}

/* Checks the blocks in the child of fork, releases every third block, checks the others again and
 * exits. The status is 1 if a block was wrong at first, 2 if one is wrong after the releases,
 * otherwise 0. */
static void be_child(void) {
    int at_once = wrong();
    for (int i = 0; i < BLOCKS; i += 3)
        if (block[i])
            release(i);
    _exit(at_once > 0 ? 1 : wrong() > 0 ? 2 : 0);
}

/* Forks while free blocks are between blocks in use. The child must keep the content of all blocks
 * in use. */
START_TEST(blocks_in_a_child) {
    int status;
    pages_are_wide = true;
    open_with(4 * SEGMENT_BYTES);
    fill();
    release(1);
    release(4);
    pid_t child = fork();
    if (child == 0)
        be_child();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(wrong(), 0);
    ck_assert_msg(status == 0, "the child has lost blocks: status %x", status);
}
END_TEST

int main(void) {
    return testing_main(
        "pages", 4, TESTS(ONCE(whole_pages), ONCE(shared_is_not_locked), ONCE(blocks_in_a_child)));
}
