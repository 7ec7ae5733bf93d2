/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_lifetime.sh that multiplies before main, in main and after main.
 * Usage: lifetime [FILE]
 *   FILE  the program, which is started with descriptors 0, 1 and 2 closed, opens FILE as these
 *         before it multiplies, and writes to it; it does not multiply before main */
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
        return; /* a driver that opens now could take the descriptors 0 to 2 that this
                   test uses */
    /* registered before the library's own exit handler, so it runs after the library's handler */
    atexit(at_exit_first);
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
