/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that forks while another thread's first large product begins to open a
 * device. Child and grandchild multiply and exit; the program prints "right".
 * Usage: "beginning at K" forks while the other thread makes call number K of pthread_atfork (from
 * 0); the program makes this call slow. In "beginning between", the program's own fork handler
 * waits until the other thread has its product. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dlfcn.h>
#include <gmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BITS = 100000, SLOW_US = 300000, STEP_US = 100000, STEPS = 150, RIGHT = 5 };

static atomic_int slow = -1, calls;
static atomic_bool is_inside, is_done; /* is_inside: the main thread may fork, or forks already;
                                          is_done: the product is computed */
static _Thread_local bool is_first;
static mpz_t u;

typedef int register_function(void (*)(void), void (*)(void), void (*)(void), void *);

/* pthread_atfork comes here. */
__attribute__((visibility("default"))) int
__register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library) {
    register_function *next = (register_function *)dlsym(RTLD_NEXT, "__register_atfork");
    if (is_first && calls++ == slow) {
        is_inside = true;
        usleep(SLOW_US);
    }
    return next(prepare, parent, child, library);
}

static void handler(void) {
    is_inside = true;
    while (!is_done)
        usleep(100);
}

static bool multiplies(void) {
    mpz_t r;
    mpz_init(r);
    mpz_mul(r, u, u);
    bool is_right = mpz_sizeinbase(r, 2) == 2 * BITS + 1 && mpz_scan1(r, 0) == 2 * BITS;
    mpz_clear(r);
    return is_right;
}

static void *begin(void *between) {
    while (between && !is_inside)
        usleep(10);
    is_first = true;
    multiplies();
    is_done = is_inside = true;
    return NULL;
}

/* Waits for the child and returns true if it exits with status RIGHT. Kills a child that has not
 * ended after 15 s. */
static bool ends_right(pid_t child) {
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; i < STEPS && (ended = waitpid(child, &status, WNOHANG)) == 0; i++)
        usleep(STEP_US);
    if (ended == 0)
        kill(child, SIGKILL);
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == RIGHT;
}

static void be_child(void) {
    if (!multiplies())
        _exit(1);
    pid_t child = fork();
    if (child == 0)
        _exit(multiplies() ? RIGHT : 1);
    _exit(child > 0 && ends_right(child) ? RIGHT : 2);
}

int main(int argc, char **argv) {
    pthread_t thread;
    bool is_between = argc == 2 && strcmp(argv[1], "between") == 0;
    if (!is_between && argc != 3)
        return 2;
    if (is_between)
        pthread_atfork(handler, NULL, NULL);
    else
        slow = atoi(argv[2]);
    mpz_init_set_ui(u, 3);
    mpz_mul(u, u, u); /* a small product, which makes the library read its options */
    mpz_set_ui(u, 0);
    mpz_setbit(u, BITS);
    if (pthread_create(&thread, NULL, begin, is_between ? &is_between : NULL) != 0)
        return 2;
    while (!is_between && !is_inside)
        usleep(100);
    pid_t child = fork();
    if (child == 0)
        be_child();
    bool is_right = ends_right(child);
    pthread_join(thread, NULL);
    puts(is_right && multiplies() ? "right" : "the child hangs, or is wrong");
    return 0;
}
