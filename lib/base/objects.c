/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Looks up symbols as the dynamic linker does: by the object's hash table, default versions only.
 * The EARLY functions are UNSANITIZED, since lib/process/next_in_libc.c calls them before a
 * sanitizer works. */
#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#include "lib/base/objects.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "lib/base/started.h"
#include "lib/base/unsanitized.h"

#define EARLY UNSANITIZED AT_START

enum { HIDDEN_VERSION = 0x8000 };

/* The tables of an object by which the dynamic linker looks up symbols. */
struct tables {
    uintptr_t at;
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Half) * versions;
    const uint32_t *gnu_hash, *hash;
};

/* Returns the address of a table from an entry of the dynamic section. glibc has added the object's
 * address to the entry, unless the section is read-only. */
static EARLY const void *pointer(const struct tables *t, uintptr_t value) {
    return (const void *)(value < t->at ? value + t->at : value);
}

static EARLY void read_entry(struct tables *t, const ElfW(Dyn) * d) {
    switch (d->d_tag) {
    case DT_SYMTAB:
        t->symbols = pointer(t, d->d_un.d_ptr);
        break;
    case DT_STRTAB:
        t->names = pointer(t, d->d_un.d_ptr);
        break;
    case DT_VERSYM:
        t->versions = pointer(t, d->d_un.d_ptr);
        break;
    case DT_GNU_HASH:
        t->gnu_hash = pointer(t, d->d_un.d_ptr);
        break;
    case DT_HASH:
        t->hash = pointer(t, d->d_un.d_ptr);
        break;
    }
}

static EARLY struct tables read_tables(const struct dl_phdr_info *info) {
    struct tables t = {.at = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            t.dynamic = (const void *)(t.at + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *d = t.dynamic; d && d->d_tag != DT_NULL; d++)
        read_entry(&t, d);
    return t;
}

/* Compares two strings. It does not call strcmp, because sanitizers replace that. */
static EARLY bool is_same(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* ---- a symbol */

static EARLY bool is_wanted(const struct tables *t, uint32_t i, const char *name) {
    const ElfW(Sym) *s = &t->symbols[i];
    return s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) != STT_TLS &&
           !(t->versions && t->versions[i] & HIDDEN_VERSION) &&
           is_same(t->names + s->st_name, name);
}

/* Tests the Bloom filter: two bits of one word are set for each name that the object defines. */
static EARLY bool may_have(const struct tables *t, uint32_t h) {
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    uint32_t blooms = t->gnu_hash[2], shift = t->gnu_hash[3] % 32;
    ElfW(Addr) bloom = ((const ElfW(Addr) *)(t->gnu_hash + 4))[blooms ? h / BITS % blooms : 0];
    return blooms == 0 || (bloom >> h % BITS & bloom >> (h >> shift) % BITS & 1);
}

/* Returns the symbol's index, 0 for none. */
static EARLY uint32_t find_by_gnu_hash(const struct tables *t, const char *name) {
    uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], blooms = t->gnu_hash[2], h = 5381;
    const uint32_t *bucket = (const uint32_t *)((const ElfW(Addr) *)(t->gnu_hash + 4) + blooms);
    const uint32_t *chain = bucket + buckets;
    for (const char *c = name; *c; c++)
        h = 33 * h + (unsigned char)*c;
    uint32_t i = buckets && may_have(t, h) ? bucket[h % buckets] : 0;
    if (i < first)
        return 0;
    for (;; i++) {
        if ((chain[i - first] | 1) == (h | 1) && is_wanted(t, i, name))
            return i;
        if (chain[i - first] & 1)
            return 0;
    }
}

static EARLY uint32_t find_by_hash(const struct tables *t, const char *name) {
    uint32_t buckets = t->hash[0], h = 0;
    const uint32_t *bucket = t->hash + 2, *chain = bucket + buckets;
    for (const char *c = name; *c; c++) {
        h = (h << 4) + (unsigned char)*c;
        h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
    }
    uint32_t i = buckets ? bucket[h % buckets] : 0;
    while (i && !is_wanted(t, i, name))
        i = chain[i];
    return i;
}

/* Returns the address of a symbol. For an indirect function (IFUNC) calls its resolver, which
 * returns the address. */
static EARLY void *address_of(const struct tables *t, const ElfW(Sym) * s) {
    uintptr_t address = s->st_value + (s->st_shndx == SHN_ABS ? 0 : t->at);
    if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
        return ((void *(*)(unsigned long))address)(getauxval(AT_HWCAP));
    return (void *)address;
}

static EARLY void *find_in(const struct tables *t, const char *symbol) {
    uint32_t i = 0;
    if (t->symbols && t->names && t->gnu_hash)
        i = find_by_gnu_hash(t, symbol);
    else if (t->symbols && t->names && t->hash)
        i = find_by_hash(t, symbol);
    return i ? address_of(t, &t->symbols[i]) : NULL;
}

/* ---- all objects */

static EARLY bool has(const struct dl_phdr_info *info, const void *address) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            (uintptr_t)address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}

struct search {
    const void *address, *skipped;
    const char *symbols;
    int count, left;
    void **found;
};

/* Looks in one object for those symbols that are not found yet. */
static EARLY void find_left(struct search *s, const struct dl_phdr_info *info) {
    struct tables t = read_tables(info);
    const char *symbol = s->symbols;
    for (int i = 0; i < s->count; i++) {
        if (!s->found[i] && (s->found[i] = find_in(&t, symbol)))
            s->left--;
        while (*symbol++)
            ;
    }
}

static EARLY int find_next(struct dl_phdr_info *info, size_t size, void *context) {
    struct search *s = context;
    (void)size;
    if (s->address && has(info, s->address))
        s->address = NULL;
    else if (!s->address && info->dlpi_phdr != s->skipped)
        find_left(s, info);
    return s->left == 0;
}

EARLY void objects_find(const void *after, const void *skipped, const char *symbols, int count,
                        void **found) {
    struct search search = {after, skipped, symbols, count, count, found};
    for (int i = 0; i < count; i++)
        found[i] = NULL;
    dl_iterate_phdr(find_next, &search);
}

EARLY void *objects_next(const void *after, const char *symbol) {
    void *found;
    objects_find(after, NULL, symbol, 1, &found);
    return found;
}

struct placing {
    const void *address;
    struct object_info place;
};

static AT_START void extend(struct object_info *place, const ElfW(Phdr) * segment) {
    const uintptr_t from = place->bias + segment->p_vaddr, to = from + segment->p_memsz;
    place->from = from < place->from ? from : place->from;
    place->to = to > place->to ? to : place->to;
}

static AT_START int find_place(struct dl_phdr_info *info, size_t size, void *context) {
    struct placing *p = context;
    (void)size;
    if (!has(info, p->address))
        return 0;
    p->place =
        (struct object_info){info->dlpi_phdr, info->dlpi_name, UINTPTR_MAX, 0, info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            extend(&p->place, &info->dlpi_phdr[i]);
    return 1;
}

AT_START struct object_info objects_info(const void *address) {
    struct placing placing = {.address = address};
    dl_iterate_phdr(find_place, &placing);
    return placing.place;
}

bool objects_have_program(void) {
    const void *headers = (const void *)getauxval(AT_PHDR);
    return !headers || objects_info(headers).object;
}

/* ---- which objects were loaded with the program: preloaded ones first, then libraries that the
 * program needs */

struct start {
    const void *address;
    struct tables program;
    /* `count`: objects visited so far. `needed`: whether the program needs one of them. `answer`:
     * the result of objects_are_from_start. */
    int count, needed, answer;
};

static AT_START bool needs(const struct tables *t, const struct tables *other) {
    const char *name = NULL;
    for (const ElfW(Dyn) *d = other->dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME)
            name = other->names + d->d_un.d_val;
    for (const ElfW(Dyn) *d = t->dynamic; name && d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && is_same(t->names + d->d_un.d_val, name))
            return true;
    return false;
}

static AT_START int look_at_start(struct dl_phdr_info *info, size_t size, void *context) {
    struct start *s = context;
    struct tables t = read_tables(info);
    (void)size;
    if (s->count++ == 0)
        s->program = t;
    int is_needed = needs(&s->program, &t), is_it = has(info, s->address);
    s->answer = is_it && (is_needed || !s->needed);
    s->needed |= is_needed;
    return is_it;
}

AT_START bool objects_are_from_start(const void *address) {
    struct start start = {.address = address};
    dl_iterate_phdr(look_at_start, &start);
    return start.answer;
}
