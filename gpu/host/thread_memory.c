/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Variables of each thread. */
#include "config.h"

#include "gpu/host/thread_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* The section of all parts.  Nothing writes to it: only differences of addresses count. */
extern const char __start_mpgpu_thread[] __attribute__((visibility("hidden")));
extern const char __stop_mpgpu_thread[] __attribute__((visibility("hidden")));

/* As USED_AT_START of lib/base/started.h. */
#define AT_START __attribute__((section(".data.start")))

static _Thread_local char *_Atomic own; /* NULL: none yet */
static AT_START pthread_key_t key;      /* whose destructor releases it */
static AT_START bool has_key;

static size_t size(void) {
    return (size_t)(__stop_mpgpu_thread - __start_mpgpu_thread);
}

/* Memory of threads that have ended, for new ones.  A mapping of its own costs a thread 10 us. */
enum { SPARES = 8 };
static char *_Atomic spares[SPARES];

static void give_back(char *memory) {
    for (int i = 0; i < SPARES; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&spares[i], &none, memory))
            return;
    }
    munmap(memory, size());
}

/* Returns zeros; NULL without memory.  errno stays. */
static char *take(void) {
    for (int i = 0; i < SPARES; i++) {
        char *spare = atomic_load(&spares[i]) ? atomic_exchange(&spares[i], NULL) : NULL;
        if (spare)
            return memset(spare, 0, size());
    }
    int saved = errno;
    char *new = mmap(NULL, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    return new == MAP_FAILED ? NULL : new;
}

/* Destructors of other keys may run later and need memory again.  The C library then calls this one
 * again. */
static void end(void *memory) {
    atomic_store_explicit(&own, NULL, memory_order_relaxed);
    give_back(memory);
}

/* glibc needs no malloc for the values of the first 32 keys.  A library that is loaded at the
 * program's start gets one of these. */
static __attribute__((constructor)) void make_key(void) {
    has_key = pthread_key_create(&key, end) == 0;
}

/* Returns NULL without memory.  A handler of a signal may have begun in between. */
static char *begin(void) {
    char *none = NULL, *new = take();
    if (!new)
        return NULL;
    if (!atomic_compare_exchange_strong(&own, &none, new)) {
        give_back(new);
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
    char *memory = atomic_load_explicit(&own, memory_order_relaxed);
    return within(memory ? memory : begin(), part);
}

void *thread_memory_find(const void *part) {
    return within(atomic_load_explicit(&own, memory_order_relaxed), part);
}
