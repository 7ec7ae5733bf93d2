/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Handles several libgmps in one process, each with its own memory functions.
 *
 * Plug-ins that each bring a libgmp, such as Python modules, all find this library's functions
 * instead of those of their libgmp. While every libgmp allocates by malloc, any libgmp may compute.
 * Once memory functions have been set, the libgmp that allocated a number's limbs must also
 * reallocate them. From then on, this library changes the addresses in a plug-in's tables of calls,
 * so that the plug-in calls its own libgmp directly.
 *
 * A plug-in may be loaded at any time. So each call of a real function then first checks whether
 * another libgmp has been loaded. */
#define _GNU_SOURCE 1
#include "lib/gmp/multi_libgmp.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/process.h"
#include "lib/gmp/real.h"
#include "lib/gmp/symbols.h"

/* ---- functions that redirect calls of other objects from this library to another libgmp */

/* An object that dlopen has opened, and its tables of symbols and relocations. Each entry of its
 * table of calls has a relocation with the function's name. The dynamic linker writes the
 * function's address there, at once or at the first call. */
struct object {
    void *handle;
    ElfW(Addr) at;
    const ElfW(Sym) * symbols;
    const char *names;
    struct {
        const ElfW(Rela) * first;
        size_t bytes;
    } data, calls;
};

static void read_dynamic(struct object *o, const struct link_map *map) {
    o->at = map->l_addr;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        /* d_ptr is an absolute address: the dynamic linker has added the load address, o->at. */
        const void *address = (const void *)d->d_un.d_ptr;
        switch (d->d_tag) {
        case DT_SYMTAB:
            o->symbols = address;
            break;
        case DT_STRTAB:
            o->names = address;
            break;
        case DT_RELA:
            o->data.first = address;
            break;
        case DT_RELASZ:
            o->data.bytes = d->d_un.d_val;
            break;
        case DT_JMPREL:
            o->calls.first = address;
            break;
        case DT_PLTRELSZ:
            o->calls.bytes = d->d_un.d_val;
            break;
        }
    }
}

static bool is_intercepted(const char *name) {
    const char *symbol = symbols_names;
    if (strncmp(name, "__gmp", 5) != 0)
        return false;
    for (int i = 0; i < SYMBOLS_INTERCEPTED; i++, symbol = symbols_next(symbol))
        if (strcmp(name, symbol) == 0)
            return true;
    return false;
}

static uintptr_t page_of(uintptr_t address) {
    return address & -(uintptr_t)sysconf(_SC_PAGESIZE);
}

/* Returns true if the memory at `place` became read-only after the object was loaded (RELRO). */
static bool is_sealed(const struct object *o, uintptr_t place) {
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)o->at;
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(o->at + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++) {
        uintptr_t begin = o->at + segment[i].p_vaddr;
        if (segment[i].p_type == PT_GNU_RELRO && place >= begin &&
            place < page_of(begin + segment[i].p_memsz))
            return true;
    }
    return false;
}

static void put(const struct object *o, void **place, void *address) {
    uintptr_t page = page_of((uintptr_t)place);
    size_t bytes = (uintptr_t)place + sizeof *place - page;
    bool sealed = is_sealed(o, (uintptr_t)place);
    if (sealed && mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n(place, address, __ATOMIC_RELEASE);
    if (sealed)
        mprotect((void *)page, bytes, PROT_READ);
}

/* Rebinds the intercepted functions in a table of relocations: writes the addresses of the object's
 * own libgmp. If `unbound`, also rebinds entries that do not call this library yet, but may
 * later. */
static void rebind_all(const struct object *o, const ElfW(Rela) * r, size_t bytes, bool unbound) {
    for (const ElfW(Rela) *end = r + bytes / sizeof *r; r < end; r++) {
        size_t symbol = ELF64_R_SYM(r->r_info);
        const char *name = o->names + o->symbols[symbol].st_name;
        void **place = (void **)(o->at + r->r_offset);
        if (symbol == 0 || !is_intercepted(name) || !(unbound || real_is_ours(*place)))
            continue;
        void *own = real_behind(o->handle, name);
        if (own && own != *place)
            put(o, place, own);
    }
}

/* Returns true if the object needs a libgmp other than the one behind this library. */
static bool is_others(void *handle) {
    void *own = real_behind(handle, "__gmp_set_memory_functions"), *behind;
    memcpy(&behind, &real.mp_set_memory_functions, sizeof behind);
    return own && own != behind;
}

static bool rebind(void *handle, void *unused) {
    struct object o = {.handle = handle};
    struct link_map *map;
    (void)unused;
    if (is_others(handle) && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 &&
        memcmp((const void *)map->l_addr, ELFMAG, SELFMAG) == 0) {
        read_dynamic(&o, map);
        rebind_all(&o, o.data.first, o.data.bytes, false);
        rebind_all(&o, o.calls.first, o.calls.bytes, true);
    }
    return false; /* makes real_objects continue with the next object */
}

/* Makes every object that needs another libgmp than the one behind this library call its own
 * libgmp. Also makes that libgmp call its own functions. */
static void rebind_others(void) {
    real_objects(rebind, NULL);
    real_forget_error();
}

enum { DEPTH = 32 }; /* most stack frames that of_stack searches for the caller */

static struct real found; /* copy of `real` from before put_forwards has replaced its pointers */
static atomic_int watching;

static _Atomic unsigned long long seen; /* value of real_loads at the last check */

bool multi_libgmp_loaded(void) {
    return atomic_load_explicit(&watching, memory_order_relaxed) && real_loads() != seen &&
           !real_is_alone();
}

/* Returns true if objects have been loaded since the last call of have_just_come, and another
 * libgmp is loaded. Then also rebinds the objects that need it. */
static bool have_just_come(void) {
    if (!process_is_ours())
        return false;
    unsigned long long loads = real_loads();
    if (loads == atomic_exchange(&seen, loads) || real_is_alone())
        return false;
    rebind_others();
    return true;
}

/* Returns the function `symbol` for the call that has detected a new libgmp. The caller is the
 * first stack frame outside of this library (after a tail call, the caller's caller). */
static void *of_stack(const char *symbol) {
    void *frame[DEPTH];
    int depth = backtrace(frame, DEPTH), i = 0;
    while (i < depth && !real_is_ours(frame[i]))
        i++;
    while (i < depth && real_is_ours(frame[i]))
        i++;
    return i < depth ? real_of(frame[i], symbol) : NULL;
}

/* Returns the address of GMP's function for the current call. `place` points to the function's
 * pointer in `found`, which is used unless a new libgmp was loaded. */
static void *look_up(const void *place, const char *symbol) {
    void *address = have_just_come() ? of_stack(symbol) : NULL;
    if (!address)
        memcpy(&address, place, sizeof address);
    return address;
}

#define FUNCTION(symbol, type, parameters, arguments)                                              \
    static type forward_##symbol parameters {                                                      \
        type(*function) parameters;                                                                \
        void *address = look_up(&found.symbol, #symbol);                                           \
        memcpy(&function, &address, sizeof function);                                              \
        return function arguments;                                                                 \
    }
#include "lib/gmp/functions.def"
#undef FUNCTION

/* Points `real` to the forwarding functions, which call look_up first. Leaves out the memory
 * functions, which multi_libgmp_symbol finds. */
static void put_forwards(void) {
#define FUNCTION(symbol, type, parameters, arguments) real.symbol = forward_##symbol;
#include "lib/gmp/functions.def"
#undef FUNCTION
    real.mp_set_memory_functions = found.mp_set_memory_functions;
    real.mp_get_memory_functions = found.mp_get_memory_functions;
}

void multi_libgmp_watch(void) {
    if (real_is_in_scope() || atomic_exchange(&watching, 1))
        return;
    found = real;
    put_forwards();
    rebind_others();
}

void *multi_libgmp_symbol(const void *place, const char *symbol) {
    return real_is_in_scope() || real_is_alone() ? NULL : real_of(place, symbol);
}
