/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Redirects calls of other objects from this library to another libgmp. The dynamic linker has
 * written the addresses of this library's functions into an object's table of calls, or will do so
 * at the first call. For each entry there is a relocation with the function's name. */
#define _GNU_SOURCE 1
#include "lib/gmp/rebind.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/gmp/real.h"
#include "lib/gmp/symbols.h"

/* An object that dlopen has opened, and its tables of symbols and relocations. */
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
        /* An absolute address: the dynamic linker has added the load address, o->at. */
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

/* Returns true if the entry at `place` is read-only after the object is loaded. */
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

/* Rebinds the intercepted functions in a table of relocations. `unbound`: also rebinds places that
 * do not call this library yet, but may later. */
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

void rebind_others(void) {
    real_objects(rebind, NULL);
    real_forget_error();
}
