/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program for test_serve_stopped.sh. It reads commands, one in a line, and prints a line after
 * each. Signal USR1 leaves the running command by siglongjmp. The commands:
 * mul BITS      computes a product, and compares it with the expected value.
 * create COUNT  sets a batch of COUNT numbers of 64 KiB, on the device.
 * fill SECONDS  sets a batch of 64 MiB again and again.
 * fork COUNT    forks COUNT times. */
#include "config.h"

#include <gmp.h>
#include <mpgpu.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMBS = 8192, NUMBERS = 1024 };

static sigjmp_buf back;
static mpgpu_batch *batch;
static mp_limb_t *limbs;

static void leave(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

/* Squares x = 2^n - 1, where n is `bits`, and compares the result with 2^2n - 2^(n+1) + 1. */
static void multiply(unsigned long bits) {
    static mpz_t u, r, right;
    mpz_inits(u, r, right, NULL); /* never cleared, because a handler may leave the call at any
                                     point */
    mpz_setbit(u, bits);
    mpz_sub_ui(u, u, 1);
    mpz_mul(r, u, u);
    mpz_setbit(right, 2 * bits);
    mpz_clrbit(right, 0);
    mpz_setbit(u, 0);
    mpz_sub(right, right, u);
    mpz_sub(right, right, u);
    mpz_sub_ui(right, right, 1);
    puts(mpz_cmp(r, right) == 0 ? "right" : "wrong");
}

static void create(unsigned long count) {
    limbs = calloc(count, LIMBS * sizeof *limbs);
    batch = mpgpu_batch_create(count, LIMBS);
    puts(mpgpu_batch_set(batch, limbs) == 0 ? "created" : "not created");
}

static void fill(unsigned long seconds) {
    const time_t end = time(NULL) + (time_t)seconds;
    int status = 0;
    create(NUMBERS);
    while (status == 0 && time(NULL) < end)
        status = mpgpu_batch_set(batch, limbs);
    puts(status == 0 ? "filled" : "not filled");
}

static void fork_often(unsigned long count) {
    for (unsigned long i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    puts("forked");
}

static const struct {
    const char *name;
    void (*run)(unsigned long number);
} commands[] = {{"mul", multiply}, {"fill", fill}, {"create", create}, {"fork", fork_often}};

int main(void) {
    char name[16];
    unsigned long number;
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGUSR1, leave);
    if (sigsetjmp(back, 1) != 0)
        puts("left");
    while (scanf("%15s %lu", name, &number) == 2)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (strcmp(name, commands[i].name) == 0)
                commands[i].run(number);
    return 0;
}
