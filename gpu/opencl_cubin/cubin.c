/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A fatbin is a head and pieces, each with a head of its own.  A cubin is an ELF file; its section
 * .nv.info.KERNEL is a list of attributes, one of them for each parameter. */
#include "gpu/opencl_cubin/cubin.h"

#include <elf.h>
#include <string.h>

enum {
    FATBIN_MAGIC = 0xba55ed50,
    FATBIN_HEAD = 16,
    IS_CUBIN = 2, /* the kind of a piece */
    /* In a section's list: the form of an attribute that says its own size, others have 4 bytes. */
    SIZED = 4,
    PARAMETER = 0x17, /* attributes: of a parameter, */
    CLUSTER = 0x3d,   /* and groups that make a cluster */
    PARAMETER_BYTES = 12,
    /* A parameter's word of flags: what it points to, and how that is aligned (16 bytes). */
    POINTEE = 0xfff,
    GLOBAL_BUFFER = 0x404
};

struct piece {
    uint16_t kind, version;
    uint32_t head; /* bytes from the piece's begin to its data */
    uint64_t size; /* of the data */
    uint32_t unused[3];
    uint32_t capability; /* 10 major + minor */
};

struct parameter {
    uint32_t unused;
    uint16_t number, offset;
    uint32_t flags;
};

struct cubin cubin_find(const unsigned char *fatbin, size_t most, unsigned major, unsigned minor) {
    struct cubin found = {NULL, 0};
    struct {
        uint32_t magic;
        uint16_t version, head;
        uint64_t size;
    } head;
    struct piece piece;
    unsigned best = 0;
    if (most < sizeof head)
        return found;
    memcpy(&head, fatbin, sizeof head);
    if (head.magic != FATBIN_MAGIC || head.head != FATBIN_HEAD || head.size > most - FATBIN_HEAD)
        return found;
    const unsigned char *at = fatbin + FATBIN_HEAD, *end = at + head.size;
    for (; (size_t)(end - at) > sizeof piece; at += piece.head + piece.size) {
        memcpy(&piece, at, sizeof piece);
        if (piece.head < sizeof piece || piece.head > (size_t)(end - at) ||
            piece.size > (size_t)(end - at) - piece.head)
            break;
        if (piece.kind == IS_CUBIN && piece.capability / 10 == major &&
            piece.capability % 10 <= minor && piece.capability >= best) {
            best = piece.capability;
            found = (struct cubin){at + piece.head, (size_t)piece.size};
        }
    }
    return found;
}

/* The kernel of the program with that name; GPU_KERNELS: none. */
static int find_kernel(enum gpu_program program, const char *name) {
    int id = 0;
    while (id < GPU_KERNELS && (gpu_kernel_heads[id].program != program ||
                                strcmp(gpu_kernel_heads[id].name, name) != 0))
        id++;
    return id;
}

/* Marks a kernel's parameters, of the attributes {list, size}; each must be there once. */
static bool mark_kernel(unsigned char *list, size_t size, const char *takes) {
    size_t marked = 0, count = strlen(takes);
    uint16_t bytes;
    struct parameter parameter;
    for (size_t at = 0, step; size - at >= 4; at += step) {
        memcpy(&bytes, list + at + 2, sizeof bytes);
        step = list[at] == SIZED ? 4 + (size_t)bytes : 4;
        if (step > size - at || (list[at] == SIZED && list[at + 1] == CLUSTER))
            return false;
        if (list[at] != SIZED || list[at + 1] != PARAMETER || bytes != PARAMETER_BYTES)
            continue;
        memcpy(&parameter, list + at + 4, sizeof parameter);
        if (parameter.number >= count || marked++ == count)
            return false;
        if (takes[parameter.number] == 'm')
            parameter.flags = (parameter.flags & ~(uint32_t)POINTEE) | GLOBAL_BUFFER;
        memcpy(list + at + 4, &parameter, sizeof parameter);
    }
    return marked == count;
}

/* The name of a section, which ends inside the file; NULL. */
static const char *section_name(const unsigned char *elf, size_t size, const Elf64_Shdr *names,
                                const Elf64_Shdr *section) {
    if (names->sh_offset > size || section->sh_name >= size - names->sh_offset)
        return NULL;
    const char *name = (const char *)elf + names->sh_offset + section->sh_name;
    return memchr(name, 0, size - names->sh_offset - section->sh_name) ? name : NULL;
}

/* False where a section can't be marked; counts those of the program's kernels. */
static bool mark_section(unsigned char *elf, size_t size, const char *name,
                         const Elf64_Shdr *section, enum gpu_program program, int *kernels) {
    static const char prefix[] = ".nv.info.";
    if (!name)
        return false;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return true;
    int id = find_kernel(program, name + sizeof prefix - 1);
    if (id == GPU_KERNELS || section->sh_offset > size ||
        section->sh_size > size - section->sh_offset)
        return false;
    ++*kernels;
    return mark_kernel(elf + section->sh_offset, section->sh_size, gpu_kernel_heads[id].takes);
}

static int count_kernels(enum gpu_program program) {
    int count = 0;
    for (int id = 0; id < GPU_KERNELS; id++)
        count += gpu_kernel_heads[id].program == program;
    return count;
}

bool cubin_mark(unsigned char *elf, size_t size, enum gpu_program program) {
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    int kernels = 0;
    if (size < sizeof head)
        return false;
    memcpy(&head, elf, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof section || head.e_shoff > size ||
        head.e_shnum > (size - head.e_shoff) / sizeof section || head.e_shstrndx >= head.e_shnum)
        return false;
    const unsigned char *sections = elf + head.e_shoff;
    memcpy(&names, sections + head.e_shstrndx * sizeof names, sizeof names);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, sections + i * sizeof section, sizeof section);
        const char *name = section_name(elf, size, &names, &section);
        if (!mark_section(elf, size, name, &section, program, &kernels))
            return false;
    }
    return kernels == count_kernels(program);
}
