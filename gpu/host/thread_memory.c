/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Variables of each thread, in memory that the library allocates itself. */
#include "config.h"

#include "gpu/host/thread_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* Beginning and end of the section that contains all variables declared THREAD_MEMORY. Nothing
 * writes to the section: it only determines each variable's offset in a thread's memory. */
extern const char __start_mpgpu_thread[] __attribute__((visibility("hidden")));
extern const char __stop_mpgpu_thread[] __attribute__((visibility("hidden")));

/* Places a variable on a page that every start of a program writes anyway. The section is that of
 * USED_AT_START in lib/base/started.h, which gpu/ must not include. */
#define AT_START __attribute__((section(".data.start")))

static _Thread_local char *_Atomic own; /* NULL: none yet */
static AT_START pthread_key_t key;      /* the destructor of this key releases a thread's memory */
static AT_START bool has_key;

static size_t size(void) {
    return (size_t)(__stop_mpgpu_thread - __start_mpgpu_thread);
}

/* Memory of ended threads, kept for new threads: a new mapping would cost a thread 10 us. */
enum { SPARES = 8 };
static char *_Atomic spares[SPARES];

static void free_memory(char *memory) {
    for (int i = 0; i < SPARES; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&spares[i], &none, memory))
            return;
    }
    munmap(memory, size());
}

/* Returns zeroed memory for one thread, or NULL if no memory is left. Does not change errno. */
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

/* Releases a thread's memory when the thread ends. Destructors of other keys may run later and
 * allocate it again; the C library then calls this destructor again. */
static void end(void *memory) {
    atomic_store_explicit(&own, NULL, memory_order_relaxed);
    free_memory(memory);
}

/* Creates the key as early as possible: glibc stores the values of the first 32 keys without
 * malloc. */
static __attribute__((constructor)) void make_key(void) {
    has_key = pthread_key_create(&key, end) == 0;
}

/* Allocates this thread's memory; returns NULL if none is left. If a signal handler has
 * allocated it at the same time, uses the handler's memory. */
static char *begin(void) {
    char *none = NULL, *new = take();
    if (!new)
        return NULL;
    if (!atomic_compare_exchange_strong(&own, &none, new)) {
        free_memory(new);
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
