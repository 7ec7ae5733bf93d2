/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds which libgmp is loaded, and whether its calls of its own functions can be intercepted.  A
 * library linked with -Bsymbolic-functions has no relocations that name its own functions.  With
 * -Bsymbolic, or with protected functions, such relocations are bound to the library itself. */
#define _GNU_SOURCE 1
#include "tools/libgmp.h"

#include <dlfcn.h>
#include <gmp.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#define VISIBILITY_OF(other) ELF64_ST_VISIBILITY(other)
#else
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#define VISIBILITY_OF(other) ELF32_ST_VISIBILITY(other)
#endif

/* Tables that the dynamic section of a library points to. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    const char *plt, *rel, *rela; /* relocations */
    size_t plt_bytes, rel_bytes, rela_bytes;
    bool plt_is_rela;
    bool is_symbolic; /* DT_SYMBOLIC: all references are bound to the library itself */
};

/* Returns the address for a pointer in the dynamic section.  The C library has already added the
 * base address on most machines, but not on all. */
static const void *pointer(ElfW(Addr) base, ElfW(Addr) value) {
    return (const void *)(value < base ? base + value : value);
}

static struct tables read_dynamic(ElfW(Addr) base, const ElfW(Dyn) * d) {
    struct tables t = {0};
    for (; d->d_tag != DT_NULL; d++) {
        const void *p = pointer(base, d->d_un.d_ptr);
        switch (d->d_tag) {
        case DT_SYMTAB:
            t.symbols = p;
            break;
        case DT_STRTAB:
            t.strings = p;
            break;
        case DT_JMPREL:
            t.plt = p;
            break;
        case DT_REL:
            t.rel = p;
            break;
        case DT_RELA:
            t.rela = p;
            break;
        case DT_PLTRELSZ:
            t.plt_bytes = d->d_un.d_val;
            break;
        case DT_RELSZ:
            t.rel_bytes = d->d_un.d_val;
            break;
        case DT_RELASZ:
            t.rela_bytes = d->d_un.d_val;
            break;
        case DT_PLTREL:
            t.plt_is_rela = d->d_un.d_val == DT_RELA;
            break;
        case DT_SYMBOLIC:
            t.is_symbolic = true;
            break;
        case DT_FLAGS:
            t.is_symbolic |= (d->d_un.d_val & DF_SYMBOLIC) != 0;
            break;
        }
    }
    return t;
}

/* Returns true if a relocation in the table names the function, so that another library can replace
 * the function.  Entries of type Rel and Rela begin with the same two fields. */
static bool names(const struct tables *t, const char *table, size_t bytes, size_t step,
                  const char *name) {
    for (size_t at = 0; table && at + step <= bytes; at += step) {
        const ElfW(Rel) *r = (const void *)(table + at);
        const ElfW(Sym) *symbol = &t->symbols[SYMBOL_OF(r->r_info)];
        if (strcmp(t->strings + symbol->st_name, name) == 0)
            return VISIBILITY_OF(symbol->st_other) == STV_DEFAULT;
    }
    return false;
}

struct question {
    ElfW(Addr) base;
    const char *name;
    int answer;
};

static int ask_object(struct dl_phdr_info *info, size_t size, void *data) {
    struct question *q = data;
    (void)size;
    if (info->dlpi_addr != q->base)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *dynamic = (const void *)(q->base + info->dlpi_phdr[i].p_vaddr);
        struct tables t = read_dynamic(q->base, dynamic);
        size_t plt_step = t.plt_is_rela ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
        if (!t.symbols || !t.strings)
            return 1;
        q->answer =
            !t.is_symbolic && (names(&t, t.plt, t.plt_bytes, plt_step, q->name) ||
                               names(&t, t.rel, t.rel_bytes, sizeof(ElfW(Rel)), q->name) ||
                               names(&t, t.rela, t.rela_bytes, sizeof(ElfW(Rela)), q->name));
    }
    return 1;
}

/* A libgmp.so.10 of tools/replace loads the real libgmp through the link libmpgpu-gmp-behind.so.
 * If `path` is this link, returns the path of the real libgmp, otherwise `path`. */
static const char *path_of(const char *path) {
    static char real[PATH_MAX];
    const char *name = strrchr(path, '/');
    bool is_link = name && strcmp(name, "/libmpgpu-gmp-behind.so") == 0;
    return is_link && realpath(path, real) ? real : path;
}

struct libgmp libgmp_loaded(void) {
    struct libgmp gmp = {gmp_version, "linked into this program", -1};
    Dl_info info;
    /* The library never intercepts __gmpz_init, so this is libgmp's own function. */
    void *function = dlsym(RTLD_DEFAULT, "__gmpz_init");
    if (function && dladdr(function, &info) && info.dli_fname) {
        struct question q = {(ElfW(Addr))info.dli_fbase, "__gmpn_mul_n", -1};
        dl_iterate_phdr(ask_object, &q);
        gmp.path = path_of(info.dli_fname);
        gmp.inner_calls = q.answer;
    }
    return gmp;
}
