/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where a program says that its libraries are: strings that its dynamic section names. */
#include "config.h"

#include "tools/replace/program.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/replace/shape.h"

struct image {
    const char *start;
    size_t bytes;
};

static bool map_file(const char *path, struct image *image) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    void *start = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        image->bytes = (size_t)status.st_size;
        start = mmap(NULL, image->bytes, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    image->start = start == MAP_FAILED ? NULL : start;
    return image->start;
}

/* `bytes` at an offset of the file; NULL if they are not all there. */
static const void *part(const struct image *image, size_t offset, size_t bytes) {
    return offset <= image->bytes && bytes <= image->bytes - offset ? image->start + offset : NULL;
}

static const ElfW(Phdr) * segments(const struct image *image, int *count) {
    const ElfW(Ehdr) *header = part(image, 0, sizeof *header);
    *count = header ? header->e_phnum : 0;
    return header ? part(image, header->e_phoff, (size_t)*count * sizeof(ElfW(Phdr))) : NULL;
}

/* The offset of what the program will have at an address; SIZE_MAX if the file has it not. */
static size_t offset_of(const struct image *image, ElfW(Addr) address) {
    int count;
    const ElfW(Phdr) *segment = segments(image, &count);
    for (int i = 0; segment && i < count; i++)
        if (segment[i].p_type == PT_LOAD && address - segment[i].p_vaddr < segment[i].p_filesz)
            return segment[i].p_offset + (address - segment[i].p_vaddr);
    return SIZE_MAX;
}

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

static void read_string(const struct image *image, size_t offset, const char *origin,
                        char to[TROUBLE_PATH]) {
    const char *text = part(image, offset, 1);
    if (text && memchr(text, '\0', image->bytes - offset))
        expand(text, origin, to);
}

static void read_dynamic(const struct image *image, const ElfW(Dyn) * dynamic, size_t count,
                         const char *origin, struct program_paths *paths) {
    size_t strings = SIZE_MAX, before = 0, behind = 0;
    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
        if (dynamic[i].d_tag == DT_STRTAB)
            strings = offset_of(image, dynamic[i].d_un.d_ptr);
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

static void read_elf(const struct image *image, const char *path, struct program_paths *paths) {
    char origin[PATH_MAX] = "";
    int count;
    const ElfW(Phdr) *segment = segments(image, &count);
    if (!realpath(path, origin))
        return;
    *strrchr(origin, '/') = '\0';
    for (int i = 0; segment && i < count; i++) {
        const void *dynamic = part(image, segment[i].p_offset, segment[i].p_filesz);
        if (segment[i].p_type == PT_DYNAMIC && dynamic)
            read_dynamic(image, dynamic, segment[i].p_filesz / sizeof(ElfW(Dyn)), origin, paths);
    }
}

/* The interpreter that a script's first line names. */
static bool interpreter_of(const struct image *image, char path[TROUBLE_PATH]) {
    char line[TROUBLE_PATH] = "";
    size_t bytes = image->bytes < sizeof line ? image->bytes : sizeof line - 1;
    memcpy(line, image->start, bytes);
    line[strcspn(line, "\n")] = '\0';
    return sscanf(line, "#! %4095s", path) == 1;
}

void program_read(const char *path, struct program_paths *paths) {
    struct image image = {NULL, 0};
    char interpreter[TROUBLE_PATH];
    memset(paths, 0, sizeof *paths);
    if (!map_file(path, &image))
        return;
    if (shape_is_native(path)) {
        read_elf(&image, path, paths);
    } else if (interpreter_of(&image, interpreter) && shape_is_native(interpreter)) {
        munmap((void *)image.start, image.bytes);
        if (map_file(interpreter, &image))
            read_elf(&image, interpreter, paths);
    }
    if (image.start)
        munmap((void *)image.start, image.bytes);
}
