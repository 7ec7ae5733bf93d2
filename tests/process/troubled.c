/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for the server's tests that runs into trouble.
 * Usage:
 * troubled fork SERVER: forks while SERVER, the process of its server, is stopped.
 * troubled files: multiplies while it has no free descriptor.
 * troubled close: closes the descriptors from 3 to LIBRARYS - 1 and writes files while the server
 * begins. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <fcntl.h>
#include <gmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* LONG_BITS: size of operands whose products take long enough to wait for the server */
enum { SECONDS = 15, BITS = 2000000, LONG_BITS = 20000000, LIBRARYS = 40, CLOSES = 300 };

static mpz_t a, b, product;

static void check(int condition, const char *what) {
    if (condition)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

static void prepare(unsigned long bits) {
    gmp_randstate_t random;
    gmp_randinit_default(random);
    mpz_inits(a, b, product, NULL);
    mpz_urandomb(a, random, bits);
    mpz_urandomb(b, random, bits);
    mpz_mul(product, a, b);
    gmp_randclear(random);
}

static void multiply(int times) {
    mpz_t again;
    mpz_init(again);
    for (int i = 0; i < times; i++) {
        mpz_mul(again, a, b);
        check(mpz_cmp(again, product) == 0, "the product");
    }
    mpz_clear(again);
}

static void fork_once(void) {
    int status;
    alarm(SECONDS);
    pid_t child = fork();
    if (child == 0)
        _exit(42);
    check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
              WEXITSTATUS(status) == 42,
          "the child");
}

static int be_forked(pid_t server) {
    prepare(BITS);
    multiply(2);
    check(kill(server, SIGSTOP) == 0, "the server");
    multiply(1);
    fork_once();
    multiply(1);
    return 0;
}

static int lack_files(void) {
    struct rlimit usual, few;
    prepare(LONG_BITS);
    check(getrlimit(RLIMIT_NOFILE, &usual) == 0, "the limit");
    few = usual;
    few.rlim_cur = 3;
    check(setrlimit(RLIMIT_NOFILE, &few) == 0, "a lower limit");
    multiply(1);
    check(setrlimit(RLIMIT_NOFILE, &usual) == 0, "the usual limit");
    multiply(2);
    return 0;
}

/* Closes the library's descriptors, so that the program's next file may get one of their numbers.
 * The library's threads must not close this file. */
static int close_files(void) {
    int (*wait)(void);
    *(void **)&wait = dlsym(RTLD_DEFAULT, "mpgpu_wait");
    prepare(BITS);
    for (int i = 0; i < CLOSES; i++) {
        for (int file = STDERR_FILENO + 1; file < LIBRARYS; file++)
            close(file);
        int file = open("/dev/null", O_WRONLY);
        usleep(5000);
        check(write(file, "x", 1) == 1, "a file of the program is closed");
    }
    if (wait)
        wait();
    multiply(2);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "fork") == 0)
        return be_forked((pid_t)strtol(argv[2], NULL, 10));
    if (argc == 2 && strcmp(argv[1], "files") == 0)
        return lack_files();
    if (argc == 2 && strcmp(argv[1], "close") == 0)
        return close_files();
    fputs("usage: troubled fork SERVER | files | close\n", stderr);
    return 2;
}
