/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which libgmp a program would load without a stand-in. */
#define _GNU_SOURCE 1 /* dlinfo */
#include "config.h"

#include "tools/replace/search.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/replace/folders.h"
#include "tools/replace/program.h"
#include "tools/replace/shape.h"
#include "tools/run/elf.h"

_Static_assert(TROUBLE_PATH >= PATH_MAX, "realpath's results");

static const char libgmp[] = "libgmp.so.10";

static bool has(const char *folder, const char *name, char path[TROUBLE_PATH]) {
    int length = snprintf(path, TROUBLE_PATH, "%s/%s", *folder ? folder : ".", name);
    return length < TROUBLE_PATH && access(path, F_OK) == 0;
}

bool search_is_ours(const struct search *s, const char *folder) {
    char path[TROUBLE_PATH], stand_in[TROUBLE_PATH];
    return has(folder, "libmpgpu-gmp-behind.so", path) ||
           (has(folder, libgmp, path) && has(s->replace, libgmp, stand_in) &&
            shape_is_same(path, stand_in));
}

/* The first that is for this machine; then the first that is not, if any. */
struct found {
    const struct search *search;
    char path[TROUBLE_PATH], foreign[TROUBLE_PATH];
};

/* The dynamic linker passes over such a file. */
static bool is_for_another_machine(const char *path) {
    struct elf_image image;
    bool is_foreign = elf_map(path, &image) && elf_is_elf(&image) && !elf_is_native(&image);
    elf_unmap(&image);
    return is_foreign;
}

static bool look_in(const char *folder, void *context) {
    struct found *f = context;
    char path[TROUBLE_PATH];
    if (search_is_ours(f->search, folder) || !has(folder, libgmp, path))
        return false;
    char *to = is_for_another_machine(path) ? f->foreign : f->path;
    if (!*to && !realpath(path, to))
        *to = '\0';
    return *f->path;
}

/* As the dynamic linker finds it for this process; else dlerror has its reason. */
static bool look_in_system(struct found *f) {
    struct link_map *map;
    void *library = dlopen(libgmp, RTLD_LAZY | RTLD_LOCAL);
    return library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && realpath(map->l_name, f->path);
}

static bool found_none(const struct found *f, struct trouble *why) {
    const char *error = dlerror();
    if (*f->foreign)
        return trouble(why, "%s is for another machine, and no other is found", f->foreign);
    return trouble(why, "no %s is found (%s)", libgmp, error ? error : "without a reason");
}

bool search_libgmp(const struct search *s, char path[TROUBLE_PATH], struct trouble *why) {
    struct found found = {.search = s};
    struct program_paths paths;
    program_read(s->program, &paths);
    if (folders_each(paths.before, look_in, &found))
        return trouble(why, "%s asks for %s before all others (DT_RPATH)", s->program, found.path);
    if (!folders_each(s->library_path, look_in, &found) &&
        !folders_each(paths.behind, look_in, &found) && !look_in_system(&found))
        return found_none(&found, why);
    memcpy(path, found.path, TROUBLE_PATH);
    return true;
}
