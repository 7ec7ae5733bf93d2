/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads ELF files from disk. */
#include "config.h"

#include "tools/run/elf.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool elf_map(const char *path, struct elf_image *image) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    void *start = MAP_FAILED;
    image->bytes = 0;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        image->bytes = (size_t)status.st_size;
        start = mmap(NULL, image->bytes, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    image->start = start == MAP_FAILED ? NULL : start;
    return image->start;
}

void elf_unmap(struct elf_image *image) {
    if (image->start)
        munmap((void *)image->start, image->bytes);
    image->start = NULL;
}

const void *elf_part(const struct elf_image *image, size_t offset, size_t bytes) {
    return offset <= image->bytes && bytes <= image->bytes - offset ? image->start + offset : NULL;
}

const char *elf_string(const struct elf_image *image, size_t offset) {
    const char *text = elf_part(image, offset, 1);
    return text && memchr(text, '\0', image->bytes - offset) ? text : NULL;
}

bool elf_is_elf(const struct elf_image *image) {
    const char *start = elf_part(image, 0, EI_NIDENT);
    return start && memcmp(start, ELFMAG, SELFMAG) == 0;
}

bool elf_is_native(const struct elf_image *image) {
    struct elf_image own;
    const ElfW(Ehdr) *header = elf_part(image, 0, sizeof *header), *mine;
    bool is_native = false;
    if (!header || !elf_is_elf(image) || !elf_map("/proc/self/exe", &own))
        return false;
    if ((mine = elf_part(&own, 0, sizeof *mine)))
        is_native = memcmp(header->e_ident, mine->e_ident, EI_VERSION) == 0 &&
                    header->e_machine == mine->e_machine;
    elf_unmap(&own);
    return is_native;
}

static const ElfW(Phdr) * segments(const struct elf_image *image, int *count) {
    const ElfW(Ehdr) *header = elf_part(image, 0, sizeof *header);
    *count = header ? header->e_phnum : 0;
    return header ? elf_part(image, header->e_phoff, (size_t)*count * sizeof(ElfW(Phdr))) : NULL;
}

const ElfW(Phdr) * elf_segment(const struct elf_image *image, unsigned type) {
    int count;
    const ElfW(Phdr) *segment = segments(image, &count);
    for (int i = 0; segment && i < count; i++)
        if (segment[i].p_type == type)
            return &segment[i];
    return NULL;
}

size_t elf_offset(const struct elf_image *image, ElfW(Addr) address) {
    int count;
    const ElfW(Phdr) *segment = segments(image, &count);
    for (int i = 0; segment && i < count; i++)
        if (segment[i].p_type == PT_LOAD && address - segment[i].p_vaddr < segment[i].p_filesz)
            return segment[i].p_offset + (address - segment[i].p_vaddr);
    return SIZE_MAX;
}

/* Copies the first word behind "#!".  Returns false if the file does not begin with "#!". */
static bool script_interpreter(const struct elf_image *image, char *path, size_t size) {
    size_t room = image->bytes < size ? image->bytes : size - 1;
    if (room < 3 || memcmp(image->start, "#!", 2) != 0)
        return false;
    memcpy(path, image->start + 2, room - 2);
    path[room - 2] = '\0';
    path[strcspn(path, "\n")] = '\0';
    char *name = path + strspn(path, " \t");
    size_t length = strcspn(name, " \t");
    memmove(path, name, length);
    path[length] = '\0';
    return length > 0;
}

bool elf_map_program(const char *program, struct elf_image *image, char *path, size_t size) {
    if (!elf_map(program, image))
        return false;
    if (script_interpreter(image, path, size)) {
        elf_unmap(image);
        return elf_map(path, image);
    }
    return (size_t)snprintf(path, size, "%s", program) < size;
}
