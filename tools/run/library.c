/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds mpgpu-run and the library.
 *
 * The program's children inherit LD_PRELOAD, but the dynamic loaders of musl and of 32-bit programs
 * fail on the library.  So LD_PRELOAD names a link in a folder whose name contains the dynamic
 * linker's $PLATFORM.  Only glibc replaces that word; musl ignores the missing file.  A 32-bit
 * glibc finds an empty library there (tools/run/preload-folder.sh). */
#include "config.h"

#include "tools/run/library.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tools/run/say.h"

#define NAME "libmpgpu-gmp.so.0"
#define FOLDER "mpgpu-gmp/preload"

static void find_here(char here[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", here, PATH_MAX - 1);
    here[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(here, '/');
    if (slash)
        *slash = '\0';
    else
        strcpy(here, BINDIR);
}

/* Writes the path here/tail to `folder`, with links resolved.  Returns false if that folder does
 * not contain the library. */
static bool is_in(const char *here, const char *tail, char folder[PATH_MAX]) {
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s%s", here, tail);
    if (!realpath(path, folder))
        return false;
    snprintf(path, sizeof path, "%s/%s", folder, NAME);
    return access(path, F_OK) == 0;
}

static void name_preload(struct run_library *l) {
    char path[sizeof l->preload + 64];
    const char *platform = (const char *)getauxval(AT_PLATFORM);
    int n =
        snprintf(path, sizeof path, "%s/" FOLDER "/%s/" NAME, l->folder, platform ? platform : "-");
    bool has_links = (size_t)n < sizeof path && access(path, R_OK) == 0;
    snprintf(l->preload, sizeof l->preload,
             has_links ? "%s/" FOLDER "/$PLATFORM/" NAME : "%s/" NAME, l->folder);
}

void run_library_find(struct run_library *l) {
    char path[PATH_MAX + sizeof NAME + 1];
    find_here(l->here);
    if (!is_in(l->here, "", l->folder) && !is_in(l->here, "/../.libs", l->folder) &&
        !is_in(l->here, "/../lib", l->folder) && !is_in(l->here, "/../" LIBDIR_NAME, l->folder))
        strcpy(l->folder, LIBDIR);
    snprintf(path, sizeof path, "%s/" NAME, l->folder);
    if (access(path, R_OK) != 0)
        run_fail(RUN_FAILED, "%s: not found; is mpgpu-gmp installed?", path);
    if (path[strcspn(path, " :")])
        run_fail(RUN_FAILED, "%s: LD_PRELOAD cannot hold a path with blanks or colons", path);
    name_preload(l);
}
