/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads ELF files from disk. */
#ifndef MPGPU_ELF_H
#define MPGPU_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* A file mapped for reading; `start` is NULL if none is mapped. */
struct elf_image {
    const char *start;
    size_t bytes;
};

/* Maps a plain file; returns false if it is absent, empty or unreadable.  Release it with
 * elf_unmap. */
bool elf_map(const char *path, struct elf_image *image);
void elf_unmap(struct elf_image *image);

/* elf_is_elf returns true for an ELF file of any machine; elf_is_native only if word size, byte
 * order and machine are those of this process. */
bool elf_is_elf(const struct elf_image *image);
bool elf_is_native(const struct elf_image *image);

/* Returns `bytes` bytes at an offset of the file, or NULL if the file is shorter. */
const void *elf_part(const struct elf_image *image, size_t offset, size_t bytes);

/* Returns the string at an offset of the file; NULL if no NUL ends it. */
const char *elf_string(const struct elf_image *image, size_t offset);

/* Returns the first segment of type `type`, or NULL.  Only for native files. */
const ElfW(Phdr) * elf_segment(const struct elf_image *image, unsigned type);

/* Returns the file offset of the byte that is loaded at a virtual address; SIZE_MAX if none is. */
size_t elf_offset(const struct elf_image *image, ElfW(Addr) address);

/* Maps a program; for a script, maps the interpreter that its first line names.  Writes the mapped
 * file's path to `path` of `size` bytes. */
bool elf_map_program(const char *program, struct elf_image *image, char *path, size_t size);

#endif
