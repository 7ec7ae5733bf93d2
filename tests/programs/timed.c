/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests timers of processor time, which a program inherits.
 * timed inherit PROGRAM [ARGUMENT]...: sets timers with 100 seconds left, then becomes the program.
 * timed show: prints the rounded seconds that its timers have left. */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const struct itimerval long_time = {.it_interval = {7, 0}, .it_value = {100, 0}};

static long left(int which) {
    struct itimerval timer;
    getitimer(which, &timer);
    return timer.it_value.tv_sec + (timer.it_value.tv_usec >= 500000);
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "inherit") == 0) {
        setitimer(ITIMER_PROF, &long_time, NULL);
        setitimer(ITIMER_VIRTUAL, &long_time, NULL);
        execv(argv[2], argv + 2);
        return 1;
    }
    printf("prof %ld, virtual %ld\n", left(ITIMER_PROF), left(ITIMER_VIRTUAL));
    return 0;
}
