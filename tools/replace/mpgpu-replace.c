/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-replace FOLDER PROGRAM LIBRARY_PATH: for mpgpu-run --replace.  Prints the LD_LIBRARY_PATH
 * that lets a program find the stand-in for libgmp in the folder, and the stand-in the libgmp that
 * the program would find without.  Exit status 1 and one line that says why where that can't be.
 * To be run without LD_PRELOAD and LD_LIBRARY_PATH. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tools/replace/folders.h"
#include "tools/replace/link.h"
#include "tools/replace/search.h"
#include "tools/replace/shape.h"

static bool put_rest(const char *folder, void *context) {
    if (!search_is_ours(context, folder))
        printf(":%s", folder);
    return false; /* the others too */
}

/* The folder of the link comes first, as the stand-in's folder has such a link too.  Everything
 * behind the two stays in its order. */
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
