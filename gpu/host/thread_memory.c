/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Variables of each thread. */
#include "config.h"

#include "gpu/host/thread_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/* The section of all parts.  Nothing writes to it: only differences of addresses count. */
extern const char __start_mpgpu_thread[] __attribute__((visibility("hidden")));
extern const char __stop_mpgpu_thread[] __attribute__((visibility("hidden")));

/* As USED_AT_START of lib/base/started.h. */
#define AT_START __attribute__((section(".data.start")))

static _Thread_local char *_Atomic mapped; /* NULL: nothing yet */
static AT_START pthread_key_t key;         /* whose destructor unmaps it */
static AT_START bool has_key;

static size_t size(void) {
    return (size_t)(__stop_mpgpu_thread - __start_mpgpu_thread);
}

/* Destructors of other keys may run later and map new memory.  The C library then calls this one
 * again. */
static void unmap(void *memory) {
    atomic_store_explicit(&mapped, NULL, memory_order_relaxed);
    munmap(memory, size());
}

/* glibc needs no malloc for the values of the first 32 keys.  A library that is loaded at the
 * program's start gets one of these. */
static __attribute__((constructor)) void make_key(void) {
    has_key = pthread_key_create(&key, unmap) == 0;
}

/* Returns NULL without memory.  errno stays.  A handler of a signal may map in between. */
static char *map(void) {
    int saved = errno;
    char *none = NULL;
    char *new = mmap(NULL, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (new == MAP_FAILED) {
        errno = saved;
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&mapped, &none, new)) {
        munmap(new, size());
        return none;
    }
    if (has_key)
        pthread_setspecific(key, new);
    return new;
}

static void *within(char *memory, const void *part) {
    return memory ? memory + ((const char *)part - __start_mpgpu_thread) : NULL;
}

void *thread_memory_get(const void *part) {
    char *memory = atomic_load_explicit(&mapped, memory_order_relaxed);
    return within(memory ? memory : map(), part);
}

void *thread_memory_find(const void *part) {
    return within(atomic_load_explicit(&mapped, memory_order_relaxed), part);
}
