/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of the emulated device as blocks of malloc; ASan detects accesses outside the blocks. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/kernels/host_memory.h"

/* Set the options of ASan and UBSan: a small quarantine for freed memory saves time; leaks are
 * not checked here, because other tests check them. */
const char *__asan_default_options(void) __attribute__((visibility("default")));
const char *__ubsan_default_options(void) __attribute__((visibility("default")));
const char *__asan_default_options(void) {
    return "abort_on_error=1:detect_leaks=0:quarantine_size_mb=1";
}
const char *__ubsan_default_options(void) {
    return "abort_on_error=1:print_stacktrace=1";
}

/* Fills new memory with a byte that differs from call to call, so that reads of uninitialised
 * memory give varying results. */
static void spoil(void *x, size_t bytes) {
    static unsigned char byte = 0xa5;
    memset(x, byte += 0x35, bytes);
}

void *memory_new(size_t bytes, int of_host) {
    void *buffer = malloc(bytes);
    (void)of_host;
    if (buffer)
        spoil(buffer, bytes);
    return buffer;
}

void memory_give(void *buffer) {
    free(buffer);
}

/* Do nothing: ASan itself checks the host's copies. */
void memory_filled(const void *at, size_t bytes) {
    (void)at, (void)bytes;
}

void memory_fetched(const void *at, size_t bytes) {
    (void)at, (void)bytes;
}

static void *locals[HOST_MOST_CLUSTER][HOST_MOST_LOCALS];

void *memory_local(unsigned place, unsigned index, size_t bytes) {
    void *array = malloc(bytes);
    if (!array)
        host_fault(NULL, "no host memory");
    spoil(array, bytes);
    return locals[place][index] = array;
}

void memory_end(unsigned place) {
    for (int i = 0; i < HOST_MOST_LOCALS; i++) {
        free(locals[place][i]);
        locals[place][i] = NULL;
    }
}

void memory_launch(const struct host_launch *launch) {
    (void)launch;
}

void memory_begin(unsigned place) {
    (void)place;
}

void memory_barrier(unsigned place) {
    (void)place;
}

void memory_exchange(unsigned place, unsigned row) {
    (void)place, (void)row;
}

void memory_cluster(void) {
}

void memory_resume(void) {
}

void memory_read(const void *at, size_t bytes) {
    (void)at, (void)bytes;
}

void memory_increment(const void *word) {
    (void)word;
}
