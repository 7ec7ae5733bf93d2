/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that multiplies before main, after main, and with standard input,
 * output and error closed, for test_lifetime.sh.  Usage: lifetime [FILE]
 *   FILE  opened as descriptors 0, 1 and 2, which are closed, and written to */
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/products.h"

static void at_exit_first(void) {
    multiply(30000);
    puts("in the last handler");
}

static void at_exit_last(void) {
    multiply(30000);
    puts("in the first handler");
}

static __attribute__((constructor)) void before_main(int argc, char **argv) {
    (void)argv;
    if (argc > 1)
        return;            /* a driver that is being opened may take the numbers of closed files */
    atexit(at_exit_first); /* registered before the library registers its own */
    multiply(30000);
    puts("before main");
}

static __attribute__((destructor)) void after_main(void) {
    multiply(30000);
    puts("after all");
    fflush(stdout);
}

int main(int argc, char **argv) {
    for (int fd = 0; argc > 1 && fd < 3; fd++) {
        if (open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600) != fd)
            return 9;
    }
    multiply(50000);
    puts("in main");
    atexit(at_exit_last);
    return 8;
}
