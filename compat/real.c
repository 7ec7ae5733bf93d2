/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where GMP's own functions are. */
#define _GNU_SOURCE 1
#include "real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"

struct real real;

static const char *const symbols[] = {
#define FUNCTION(symbol, type, parameters, arguments) #symbol,
#include "functions.def"
#undef FUNCTION
#define CALLED(symbol, type, parameters, arguments) #symbol,
#define CALLED_VOID(symbol, parameters, arguments) #symbol,
#include "called.def"
#undef CALLED
#undef CALLED_VOID
};

enum { SYMBOLS = sizeof symbols / sizeof *symbols };
_Static_assert(sizeof(struct real) == SYMBOLS * sizeof(void *), "pointers to functions only");

/* Where an address lies.  (dladdr looks through all the symbols of an object; for each
 * of ours, that would take longer than a small program.) */
struct place {
    uintptr_t address;
    const void *object; /* its program headers, which no other has; NULL if in none */
    const char *path;
};

static int is_in(struct dl_phdr_info *info, size_t size, void *context) {
    struct place *place = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            place->address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
            place->object = info->dlpi_phdr;
            place->path = info->dlpi_name;
            return 1;
        }
    }
    return 0;
}

static struct place place_of(const void *address) {
    struct place place = {.address = (uintptr_t)address};
    dl_iterate_phdr(is_in, &place);
    return place;
}

/* This library, and another copy of it (preloaded into a program that is linked with
 * it, from another folder) or NULL. */
static const void *ours, *other;

int real_is_ours(const void *address) {
    const void *object = place_of(address).object;
    return object == ours || (object && object == other);
}

/* An object of the process, counted in the order of loading. */
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

void *real_objects(int (*is_wanted)(void *object, void *context), void *context) {
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

struct search {
    const char *symbol;
    const void *not_there;
};

static int finds(void *object, void *search) {
    struct search *s = search;
    void *address = dlsym(object, s->symbol);
    return address && address != s->not_there && !real_is_ours(address);
}

/* The first object that finds the symbol, other than at `not_there`, in itself or in what
 * it needs: libgmp, or a plug-in with it.  Its handle, or NULL. */
static void *loaded_with(const char *symbol, const void *not_there) {
    struct search search = {symbol, not_there};
    return real_objects(finds, &search);
}

/* A program may close the handle through which it came to GMP. */
static void *keep_loaded(void *address) {
    static const void *kept;
    struct place place = place_of(address);
    if (place.object != kept && place.path)
        dlopen(place.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    kept = place.object;
    return address;
}

static int is_in_scope;

int real_is_in_scope(void) {
    return is_in_scope;
}

static void *find(const char *symbol) {
    void *address = dlsym(RTLD_NEXT, symbol);
    if (address && !real_is_ours(address)) {
        is_in_scope = 1;
        return keep_loaded(address);
    }
    void *gmp = loaded_with(symbol, NULL);
    if (!gmp)
        gmp = dlopen("libgmp.so.10", RTLD_NOW | RTLD_LOCAL);
    address = gmp ? dlsym(gmp, symbol) : NULL;
    return address && !real_is_ours(address) ? address : NULL;
}

void *real_of(const void *caller, const char *symbol) {
    struct place place = place_of(caller);
    if (is_in_scope || !place.path || !*place.path)
        return NULL;
    void *object = dlopen(place.path, RTLD_LAZY | RTLD_NOLOAD);
    void *address = object ? dlsym(object, symbol) : NULL;
    if (object)
        dlclose(object);
    return address && !real_is_ours(address) ? address : NULL;
}

static void missing(void) {
    mpgpu_say("a function was called that this libgmp does not have");
    abort();
}

static atomic_int is_resolved; /* other threads ask */

static void resolve(void) {
    void (*stand_in)(void) = missing;
    ours = place_of(&real).object;
    other = place_of(dlsym(RTLD_NEXT, "mpgpu_version")).object;
    for (int i = 0; i < SYMBOLS; i++) {
        void *address = find(symbols[i]);
        if (!address)
            memcpy(&address, &stand_in, sizeof address);
        memcpy((char *)&real + i * sizeof address, &address, sizeof address);
    }
    is_resolved = 1;
}

static void name_missing(void) {
    void (*stand_in)(void) = missing;
    for (int i = 0; i < SYMBOLS; i++)
        if (memcmp((char *)&real + i * sizeof stand_in, &stand_in, sizeof stand_in) == 0)
            mpgpu_log(LOG_INFO, "libgmp has no %s", symbols[i]);
}

void real_resolve(void) {
    if (!is_resolved)
        resolve();
    name_missing();
}

/* Where the program has a libgmp from its beginning, so that even a handler of a signal may be the
 * first to call it: to look for functions takes memory.  A constructor may have been sooner. */
static __attribute__((constructor)) void resolve_early(void) {
    if (!is_resolved && dlsym(RTLD_NEXT, symbols[0]))
        resolve();
}

int real_is_resolved(void) {
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

/* Looks only where something was loaded since it last looked. */
int real_is_alone(void) {
    static _Atomic unsigned long long seen;
    static atomic_int alone;
    unsigned long long adds = real_loads();
    if (adds != atomic_load(&seen)) {
        void *address;
        memcpy(&address, &real.mp_set_memory_functions, sizeof address);
        void *another = loaded_with("__gmp_set_memory_functions", address);
        if (another)
            dlclose(another);
        atomic_store(&alone, !another);
        atomic_store(&seen, adds);
    }
    return atomic_load(&alone);
}
