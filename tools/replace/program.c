/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where a program says that its libraries are: strings that its dynamic section names. */
#include "config.h"

#include "tools/replace/program.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/elf.h"

/* With the folder of the program's file for $ORIGIN. */
static void expand(const char *from, const char *origin, char to[TROUBLE_PATH]) {
    size_t used = 0;
    while (*from && used + 1 < TROUBLE_PATH) {
        size_t token = strncmp(from, "$ORIGIN", 7) == 0     ? 7
                       : strncmp(from, "${ORIGIN}", 9) == 0 ? 9
                                                            : 0;
        if (token)
            used += (size_t)snprintf(to + used, TROUBLE_PATH - used, "%s", origin);
        else
            to[used++] = *from;
        from += token ? token : 1;
    }
    to[used < TROUBLE_PATH && !*from ? used : 0] = '\0'; /* too long: none */
}

static void read_string(const struct elf_image *image, size_t offset, const char *origin,
                        char to[TROUBLE_PATH]) {
    const char *text = elf_string(image, offset);
    if (text)
        expand(text, origin, to);
}

static void read_dynamic(const struct elf_image *image, const ElfW(Dyn) * dynamic, size_t count,
                         const char *origin, struct program_paths *paths) {
    size_t strings = SIZE_MAX, before = 0, behind = 0;
    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
        if (dynamic[i].d_tag == DT_STRTAB)
            strings = elf_offset(image, dynamic[i].d_un.d_ptr);
        else if (dynamic[i].d_tag == DT_RPATH)
            before = dynamic[i].d_un.d_val;
        else if (dynamic[i].d_tag == DT_RUNPATH)
            behind = dynamic[i].d_un.d_val;
    }
    if (strings >= image->bytes)
        return;
    if (behind)
        read_string(image, strings + behind, origin, paths->behind);
    else if (before) /* counts only without the other */
        read_string(image, strings + before, origin, paths->before);
}

static void read_elf(const struct elf_image *image, const char *path, struct program_paths *paths) {
    char origin[PATH_MAX] = "";
    const ElfW(Phdr) *segment = elf_segment(image, PT_DYNAMIC);
    const void *dynamic = segment ? elf_part(image, segment->p_offset, segment->p_filesz) : NULL;
    if (!dynamic || !realpath(path, origin))
        return;
    *strrchr(origin, '/') = '\0';
    read_dynamic(image, dynamic, segment->p_filesz / sizeof(ElfW(Dyn)), origin, paths);
}

void program_read(const char *path, struct program_paths *paths) {
    struct elf_image image;
    char file[TROUBLE_PATH];
    memset(paths, 0, sizeof *paths);
    if (elf_map_program(path, &image, file, sizeof file) && elf_is_native(&image))
        read_elf(&image, file, paths);
    elf_unmap(&image);
}
