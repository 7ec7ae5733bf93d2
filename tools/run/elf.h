/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads ELF files as they are on disk. */
#ifndef MPGPU_ELF_H
#define MPGPU_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* A file that is mapped for reading; start is NULL if it is not. */
struct elf_image {
    const char *start;
    size_t bytes;
};

/* Maps a plain file; returns false if it is absent, empty or unreadable.  Release it with
 * elf_unmap. */
bool elf_map(const char *path, struct elf_image *image);
void elf_unmap(struct elf_image *image);

/* The file is ELF, of any machine; it has this process's word size, byte order and machine. */
bool elf_is_elf(const struct elf_image *image);
bool elf_is_native(const struct elf_image *image);

/* Returns `bytes` bytes at an offset of the file, or NULL if the file is shorter. */
const void *elf_part(const struct elf_image *image, size_t offset, size_t bytes);

/* Returns the string at an offset of the file, or NULL if it has no end. */
const char *elf_string(const struct elf_image *image, size_t offset);

/* For native files.  The first segment of type `type`, or NULL. */
const ElfW(Phdr) * elf_segment(const struct elf_image *image, unsigned type);

/* The offset in the file of the byte that will be at a virtual address; SIZE_MAX if none is. */
size_t elf_offset(const struct elf_image *image, ElfW(Addr) address);

/* Maps a program, or the interpreter that a script's first line names.  `path` of `size` bytes
 * receives the mapped file's path. */
bool elf_map_program(const char *program, struct elf_image *image, char *path, size_t size);

#endif
