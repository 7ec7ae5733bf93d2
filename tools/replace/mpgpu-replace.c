/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-replace FOLDER PROGRAM LIBRARY_PATH: for mpgpu-run --replace.  Prints an LD_LIBRARY_PATH.
 * With it, the program finds the stand-in for libgmp in FOLDER, and the stand-in finds the libgmp
 * that the program would find otherwise.  On failure, prints the reason in one line and exits with
 * status 1.  Run it without LD_PRELOAD and LD_LIBRARY_PATH. */
#define _GNU_SOURCE 1 /* dladdr, dlinfo */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/folder.h"
#include "lib/gmp/symbols.h"
#include "tools/run/elf.h"

/* ---- the reason why a program's libgmp can't be replaced: a text without a newline */

enum { TROUBLE_PATH = 4096 };

struct trouble {
    char text[2 * TROUBLE_PATH];
};

/* Formats the reason as printf does, and returns false. */
__attribute__((format(printf, 2, 3))) static bool trouble(struct trouble *why, const char *format,
                                                          ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- lists of folders, as in LD_LIBRARY_PATH */

/* Calls `visit` for each folder of the list until it returns true.  Returns whether it did.  Colons
 * or semicolons separate folders; an empty folder is "", the current folder.  An empty list has no
 * folders.  Skips folders of 4096 bytes or more. */
static bool folders_each(const char *list, bool (*visit)(const char *folder, void *context),
                         void *context) {
    char folder[4096];
    for (const char *at = list; *list; at++) {
        size_t length = strcspn(at, ":;");
        if (length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = '\0';
            if (visit(folder, context))
                return true;
        }
        at += length;
        if (!*at)
            return false;
    }
    return false;
}

/* ---- checks that a file is a libgmp that this library can wrap */

enum { LIMB_BITS = 64 };

/* Returns true if both paths lead to the same file, by device and inode.  Returns false if a path
 * does not exist. */
static bool shape_is_same(const char *a, const char *b) {
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

/* Returns true if `address` is in the file `path`.  Returns false if the file is a stand-in,
 * because GMP's functions then come from another file. */
static bool is_from(const char *path, const void *address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname && shape_is_same(info.dli_fname, path);
}

/* Checks that the library itself defines mpz_mul, that its limbs have 64 bits, and that it has all
 * functions that mpgpu-gmp calls but does not intercept. */
static bool check_symbols(void *library, const char *path, struct trouble *why) {
    const char *symbol = symbols_names;
    const void *mul = dlsym(library, "__gmpz_mul");
    const int *bits = dlsym(library, "__gmp_bits_per_limb");
    if (!mul || !bits)
        return trouble(why, "%s is no GMP: it has no %s", path,
                       mul ? "mp_bits_per_limb" : "mpz_mul");
    if (!is_from(path, mul))
        return trouble(why, "%s has its mpz_mul from another library", path);
    if (*bits != LIMB_BITS)
        return trouble(why, "%s has limbs of %d bits, not of %d", path, *bits, LIMB_BITS);
    for (int i = 0; i < SYMBOLS_ALL; i++, symbol = symbols_next(symbol))
        if (i >= SYMBOLS_INTERCEPTED && !dlsym(library, symbol))
            return trouble(why, "%s is another GMP than this library knows: it has no %s", path,
                           symbol);
    return true;
}

/* Loads a libgmp and checks it (check_symbols).  Returns false if it cannot be used. */
static bool shape_check(const char *path, struct trouble *why) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        const char *error = dlerror();
        return trouble(why, "%s", error ? error : path);
    }
    /* the library stays loaded, because this process ends soon */
    return check_symbols(library, path, why);
}

/* ---- the library paths in a program's dynamic section */

/* Lists of folders: DT_RPATH, searched before LD_LIBRARY_PATH, and DT_RUNPATH, searched after
 * it. */
struct program_paths {
    char before[TROUBLE_PATH], behind[TROUBLE_PATH];
};

/* Replaces $ORIGIN by the folder of the program's file. */
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
    else if (before) /* DT_RPATH has an effect only without DT_RUNPATH */
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

/* Reads the paths of a program, or of a script's interpreter, with the program's folder for
 * $ORIGIN.  The paths are empty if the file has none or is for another machine. */
static void program_read(const char *path, struct program_paths *paths) {
    struct elf_image image;
    char file[TROUBLE_PATH];
    memset(paths, 0, sizeof *paths);
    if (elf_map_program(path, &image, file, sizeof file) && elf_is_native(&image))
        read_elf(&image, file, paths);
    elf_unmap(&image);
}

/* ---- the libgmp that a program would load without a stand-in */

struct search {
    const char *replace; /* the folder of the library that replaces libgmp */
    const char *program; /* the program's path, or "" */
    /* the LD_LIBRARY_PATH that the program would have without a stand-in */
    const char *library_path;
};

_Static_assert(TROUBLE_PATH >= PATH_MAX, "realpath's results");

static const char libgmp[] = "libgmp.so.10";

static bool has(const char *folder, const char *name, char path[TROUBLE_PATH]) {
    int length = snprintf(path, TROUBLE_PATH, "%s/%s", *folder ? folder : ".", name);
    return length < TROUBLE_PATH && access(path, F_OK) == 0;
}

/* Returns true if an earlier --replace added this folder to LD_LIBRARY_PATH. */
static bool search_is_ours(const struct search *s, const char *folder) {
    char path[TROUBLE_PATH], stand_in[TROUBLE_PATH];
    return has(folder, "libmpgpu-gmp-behind.so", path) ||
           (has(folder, libgmp, path) && has(s->replace, libgmp, stand_in) &&
            shape_is_same(path, stand_in));
}

/* Results of a search: the first libgmp for this machine, and the first libgmp for another machine,
 * if any. */
struct found {
    const struct search *search;
    char path[TROUBLE_PATH], foreign[TROUBLE_PATH];
};

/* Returns true if the file is for another machine, so that the dynamic linker skips it. */
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

/* Finds libgmp by the dynamic linker's own search for this process.  On failure, dlerror has the
 * reason. */
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

/* Searches as the dynamic linker does:  LD_LIBRARY_PATH, the program's DT_RUNPATH, then the
 * system's folders.  Skips files for other machines and stand-ins.  Writes the path, without links,
 * to `path`.  This process must run without LD_LIBRARY_PATH. */
static bool search_libgmp(const struct search *s, char path[TROUBLE_PATH], struct trouble *why) {
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

/* ---- the link through which the stand-in loads the real libgmp */

static const char link_name[] = "libmpgpu-gmp-behind.so";

/* Hashes a path (FNV-1a, 64 bits), so that two paths get different folders. */
static uint64_t hash(const char *text) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

/* Writes the name of the folder for the link to `path`, in the user's cache.  Returns false and
 * sets `folder` to "" if the user has no usable cache folder. */
static bool name_folder(const char *path, char folder[TROUBLE_PATH]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *below = "";
    if (!cache || *cache != '/') {
        cache = home;
        below = "/.cache";
    }
    folder[0] = '\0';
    if (!cache || *cache != '/' || cache[strcspn(cache, ":;")])
        return false;
    int length = snprintf(folder, TROUBLE_PATH, "%s%s/mpgpu-gmp/behind/%016" PRIx64, cache, below,
                          hash(path));
    return length + sizeof link_name < TROUBLE_PATH - 32;
}

/* Returns true if the folder belongs to this user or root, and only the owner can write to it. */
static bool is_closed(const char *folder) {
    struct stat status;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) && !(status.st_mode & 022);
}

/* Returns true if only this user or root can write to the folder and to the two folders above it.
 * Then nobody else can replace a library there. */
static bool is_own(const char *folder) {
    char above[TROUBLE_PATH];
    snprintf(above, sizeof above, "%s", folder);
    for (int level = 0; level < 3; level++) {
        if (!is_closed(above))
            return false;
        *strrchr(above, '/') = '\0';
    }
    return true;
}

/* Creates the link under another name and renames it, so that a program that starts at this moment
 * finds the old or the new link. */
static bool make_link(const char *folder, const char *path) {
    char name[TROUBLE_PATH], newer[TROUBLE_PATH];
    snprintf(name, sizeof name, "%.4000s/%s", folder, link_name);
    snprintf(newer, sizeof newer, "%.4000s/%s.%ld", folder, link_name, (long)getpid());
    if (shape_is_same(name, path))
        return true;
    unlink(newer);
    if (symlink(path, newer) != 0 || rename(newer, name) != 0) {
        int why = errno;
        unlink(newer);
        errno = why;
        return false;
    }
    return true;
}

/* Writes to `folder` the name of a folder that has a link to libgmp `path`; creates the link in a
 * folder of the user's cache if necessary.  If the folder `replace` has such a link, writes ""
 * instead. */
static bool link_behind(const char *replace, const char *path, char folder[TROUBLE_PATH],
                        struct trouble *why) {
    char installed[TROUBLE_PATH];
    snprintf(installed, sizeof installed, "%.4000s/%s", replace, link_name);
    folder[0] = '\0';
    if (shape_is_same(installed, path))
        return true;
    if (!name_folder(path, folder))
        return trouble(
            why, "no folder for a link to %s: neither XDG_CACHE_HOME nor HOME names a usable one",
            path);
    folder_make(folder);
    errno = 0;
    if (!is_own(folder))
        return trouble(why, "%s cannot be made, or others can write it", folder);
    return make_link(folder, path) ||
           trouble(why, "a link in %s cannot be created: %s", folder, strerror(errno));
}

/* ---- the program */

static bool put_rest(const char *folder, void *context) {
    if (!search_is_ours(context, folder))
        printf(":%s", folder);
    return false; /* the others too */
}

/* Prints the new LD_LIBRARY_PATH.  The folder `behind` of the link to the real libgmp is first,
 * because the folder `replace` may have a link to another libgmp. */
static void put_list(const struct search *s, const char *behind) {
    if (*behind)
        printf("%s:", behind);
    fputs(s->replace, stdout);
    folders_each(s->library_path, put_rest, (void *)s);
    putchar('\n');
}

static bool has_separator(const char *folder, struct trouble *why) {
    return folder[strcspn(folder, ":;")] && !trouble(why, "LD_LIBRARY_PATH cannot hold %s", folder);
}

int main(int argc, char **argv) {
    static struct trouble why;
    static char path[TROUBLE_PATH], behind[TROUBLE_PATH];
    if (argc != 4) {
        fputs("usage: mpgpu-replace FOLDER PROGRAM LIBRARY_PATH\n", stderr);
        return 2;
    }
    struct search search = {argv[1], argv[2], argv[3]};
    if (has_separator(search.replace, &why) || !search_libgmp(&search, path, &why) ||
        !shape_check(path, &why) || !link_behind(search.replace, path, behind, &why)) {
        fprintf(stderr, "mpgpu-run: --replace: %s; the program runs with GMP alone\n", why.text);
        return 1;
    }
    put_list(&search, behind);
    return fflush(stdout) == 0 ? 0 : 1;
}
