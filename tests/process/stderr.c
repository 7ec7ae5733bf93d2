/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that closes, moves or replaces its standard error after the start. Usage:
 * stderr WAY FILE. The argument WAY is one of these words:
 * - close: closes descriptor 2, and opens FILE with the same number
 * - sweep: closes all descriptors above 2, and opens FILE many times
 * - all: does both
 * - replace: redirects standard error to FILE
 * - count: prints how many descriptors are open
 * - leave: does nothing */
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/products.h"

enum { NUMBERS = 400 };

static void open_and_write(const char *path, const char *text) {
    int file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (file < 0 || write(file, text, strlen(text)) < 0)
        fail("the program's own file");
}

static int is_open(int descriptor) {
    return fcntl(descriptor, F_GETFD) >= 0;
}

static void count(void) {
    int open = 0;
    for (int i = 0; i < NUMBERS; i++)
        open += is_open(i);
    printf("%d descriptors\n", open);
}

int main(int argc, char **argv) {
    if (argc != 3)
        fail("usage");
    const char *way = argv[1], *path = argv[2];
    int all = strcmp(way, "all") == 0, sweep = all || strcmp(way, "sweep") == 0;
    for (int i = 3; sweep && i < NUMBERS; i++)
        close(i);
    if (all || strcmp(way, "close") == 0)
        close(2);
    if (all || sweep || strcmp(way, "close") == 0)
        open_and_write(path, "data\n");
    for (int i = 3; sweep && i < NUMBERS; i++)
        open_and_write(path, "more\n");
    if (strcmp(way, "replace") == 0 && !freopen(path, "w", stderr))
        fail("freopen");
    if (strcmp(way, "count") == 0)
        count();
    multiply(400000);
    puts("right");
    return 6;
}
