/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds GMP's own functions. */
#define _GNU_SOURCE 1
#include "lib/gmp/real.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/base/objects.h"
#include "lib/gmp/symbols.h"
#include "lib/process/interrupted.h"
#include "lib/process/signal_guard.h"

enum { SYMBOLS = SYMBOLS_ALL };
_Static_assert(sizeof(struct real) == SYMBOLS * sizeof(void *), "pointers to functions only");

/* `ours`: the loaded object (program or library) that contains this code. `other`: the object of
 * another copy of this library, for example a preloaded one, or NULL. */
static const void *ours, *other;

bool real_is_ours(const void *address) {
    const void *object = objects_info(address).object;
    return object == ours || (object && object == other);
}

/* The path of an object of the process, found by its number in loading order. */
struct nth {
    int left;
    char path[4096];
};

static int copy_path(struct dl_phdr_info *info, size_t size, void *context) {
    struct nth *nth = context;
    (void)size;
    if (nth->left-- > 0)
        return 0;
    snprintf(nth->path, sizeof nth->path, "%s", info->dlpi_name);
    return 1;
}

void *real_objects(bool (*is_wanted)(void *object, void *context), void *context) {
    for (int i = 0;; i++) {
        struct nth nth = {.left = i};
        if (!dl_iterate_phdr(copy_path, &nth))
            return NULL;
        void *object = *nth.path ? dlopen(nth.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (object && is_wanted(object, context))
            return object;
        if (object)
            dlclose(object);
    }
}

/* Returns the symbol in the first object that defines it, skipping this library and `not_there`;
 * NULL if none. */
static void *loaded_elsewhere(const char *symbol, const void *not_there) {
    void *address = objects_next(NULL, symbol);
    while (address && (address == not_there || real_is_ours(address)))
        address = objects_next(address, symbol);
    return address;
}

void real_keep_loaded(const void *address) {
    struct object_info place = objects_info(address);
    if (place.path)
        dlopen(place.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Keeps the libgmp loaded: a program may close the handle through which it loaded GMP. */
static void *keep_loaded(void *address) {
    static const void *kept;
    const void *object = objects_info(address).object;
    if (object != kept)
        real_keep_loaded(address);
    kept = object;
    return address;
}

static bool is_in_scope;

bool real_is_in_scope(void) {
    return is_in_scope;
}

static void *find_in_scope(const char *symbol) {
    void *address = loaded_elsewhere(symbol, NULL) ? dlsym(RTLD_NEXT, symbol) : NULL;
    return address && !real_is_ours(address) ? address : NULL;
}

/* If a stand-in for libgmp (tools/replace) is loaded, opens the real libgmp that the stand-in is
 * linked with, which defines the functions that are not intercepted. Otherwise returns NULL. */
static void *open_behind_stand_in(void) {
    return dlopen("libmpgpu-gmp-behind.so", RTLD_LAZY | RTLD_NOLOAD);
}

static void *own_symbol(void *object, const char *symbol) {
    void *address = object ? dlsym(object, symbol) : NULL;
    return address && !real_is_ours(address) ? address : NULL;
}

static void *find_late(const char *symbol, void *behind) {
    void *address = find_in_scope(symbol);
    if (address)
        is_in_scope = true;
    else
        address = own_symbol(behind, symbol);
    if (!address)
        address = loaded_elsewhere(symbol, NULL);
    if (!address && dlopen("libgmp.so.10", RTLD_NOW | RTLD_LOCAL))
        address = loaded_elsewhere(symbol, NULL);
    return address ? keep_loaded(address) : NULL;
}

/* Opens the object that contains the address `place`. Returns NULL for the program itself, or if
 * there is no such object. */
static void *open_place(const void *place) {
    const char *path = objects_info(place).path;
    return path && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* Returns the symbol that the object would find without this library. If the object uses a stand-in
 * for libgmp (tools/replace), searches the library that defines __gmpz_init, a function that is not
 * intercepted. */
void *real_behind(void *object, const char *symbol) {
    void *address = dlsym(object, symbol);
    if (!address || !real_is_ours(address))
        return address;
    void *init = dlsym(object, "__gmpz_init");
    void *own = init && !real_is_ours(init) ? open_place(init) : NULL;
    address = own_symbol(own, symbol);
    if (own)
        dlclose(own);
    return address;
}

void *real_of(const void *caller, const char *symbol) {
    void *object = is_in_scope ? NULL : open_place(caller);
    void *address = object ? real_behind(object, symbol) : NULL;
    if (object)
        dlclose(object);
    real_forget_error();
    return address;
}

void real_forget_error(void) {
    dlerror();
}

static void missing(void) {
    mpgpu_say("a function was called that this libgmp does not have");
    abort();
}

static atomic_int is_resolved; /* atomic, since other threads read it without a lock */

static void find_ourselves(void) {
    ours = objects_info(&real).object;
    other = objects_info(objects_next(&real, "mpgpu_version")).object;
}

static void fill(void **address) {
    void (*stand_in)(void) = missing;
    for (int i = 0; i < SYMBOLS; i++)
        if (!address[i])
            memcpy(&address[i], &stand_in, sizeof stand_in);
    memcpy(&real, address, sizeof real);
}

static void resolve(void **address) {
    fill(address);
    is_resolved = 1;
}

static void resolve_late(void) {
    void *address[SYMBOLS];
    const char *symbol = symbols_names;
    if (is_resolved)
        return;
    find_ourselves();
    void *behind = open_behind_stand_in();
    for (int i = 0; i < SYMBOLS; i++, symbol = symbols_next(symbol))
        address[i] = find_late(symbol, behind);
    if (behind)
        dlclose(behind);
    resolve(address);
    real_forget_error();
}

/* For signal handlers: finds GMP's functions in the loaded objects, without dlsym and without
 * allocating memory. Returns false if no libgmp is loaded. A later call outside of handlers
 * searches again, because nothing keeps the libgmp loaded yet. */
static bool resolve_in_handler(void) {
    void *address[SYMBOLS];
    const char *symbol = symbols_names;
    find_ourselves();
    for (int i = 0; i < SYMBOLS; i++, symbol = symbols_next(symbol))
        address[i] = loaded_elsewhere(symbol, NULL);
    if (address[0] && !is_resolved)
        fill(address);
    return address[0];
}

/* Finds GMP's functions once. Blocks signals during the search: a handler that calls GMP would wait
 * for the call that it has interrupted. */
void real_resolve(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct signal_guard guard;
    if (is_resolved || (interrupted() && resolve_in_handler()))
        return;
    signal_guard_begin(&guard);
    pthread_once(&once, resolve_late);
    signal_guard_end(&guard);
}

void real_log_missing(void) {
    void (*stand_in)(void) = missing;
    const char *symbol = symbols_names;
    for (int i = 0; i < SYMBOLS; i++, symbol = symbols_next(symbol))
        if (memcmp((char *)&real + i * sizeof stand_in, &stand_in, sizeof stand_in) == 0)
            mpgpu_log(LOG_INFO, "libgmp has no %s", symbol);
}

/* The dynamic linker resolves this symbol only if a libgmp is in scope. */
extern const int mp_bits_per_limb __attribute__((weak));

/* Finds the functions when the library is loaded, if the program was started with a libgmp. This
 * search needs no memory, so even a signal handler may make the first call to GMP. Does nothing if
 * another library's constructor has already called GMP. */
static __attribute__((constructor)) void resolve_early(void) {
    void *address[SYMBOLS];
    if (is_resolved || !&mp_bits_per_limb || !objects_are_from_start(&real))
        return;
    find_ourselves();
    objects_find(&real, other, symbols_names, SYMBOLS, address);
    if (!address[0])
        return;
    resolve(address);
    is_in_scope = true;
}

bool real_is_resolved(void) {
    return is_resolved;
}

static int read_adds(struct dl_phdr_info *info, size_t size, void *adds) {
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

unsigned long long real_loads(void) {
    unsigned long long adds = 0;
    dl_iterate_phdr(read_adds, &adds);
    return adds;
}

/* Returns true if no other libgmp is loaded. Searches again only if objects were loaded since the
 * last search. */
bool real_is_alone(void) {
    static _Atomic unsigned long long seen;
    static atomic_int alone;
    unsigned long long adds = real_loads();
    if (adds != atomic_load(&seen)) {
        void *address;
        memcpy(&address, &real.mp_set_memory_functions, sizeof address);
        atomic_store(&alone, !loaded_elsewhere("__gmp_set_memory_functions", address));
        atomic_store(&seen, adds);
    }
    return atomic_load(&alone);
}
