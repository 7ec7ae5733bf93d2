/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The link by which the stand-in needs the real libgmp.  There is a folder for each libgmp, so
 * programs that use different ones may start at once. */
#include "config.h"

#include "tools/replace/link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/folder.h"
#include "tools/replace/shape.h"

static const char link_name[] = "libmpgpu-gmp-behind.so";

/* The folders of two paths are to be different: FNV-1a, 64 bits. */
static uint64_t hash(const char *text) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

/* False where there is no such folder: `folder` is then "". */
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

/* This user's or root's, and no other can write it. */
static bool is_closed(const char *folder) {
    struct stat status;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) && !(status.st_mode & 022);
}

/* Nobody else may lay another library there, or another folder in its place: mpgpu-gmp, behind, and
 * the last. */
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

/* Under another name first: a program that starts now finds the one before or this one. */
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

bool link_behind(const char *replace, const char *path, char folder[TROUBLE_PATH],
                 struct trouble *why) {
    char installed[TROUBLE_PATH];
    snprintf(installed, sizeof installed, "%.4000s/%s", replace, link_name);
    folder[0] = '\0';
    if (shape_is_same(installed, path))
        return true;
    if (!name_folder(path, folder))
        return trouble(why, "no folder for a link to %s: HOME names none", path);
    folder_make(folder);
    errno = 0;
    if (!is_own(folder))
        return trouble(why, "%s cannot be made, or others can write it", folder);
    return make_link(folder, path) ||
           trouble(why, "no link can be made in %s: %s", folder, strerror(errno));
}
