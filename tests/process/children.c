/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_children.sh that multiplies in child processes of all kinds.
 * Usage: children KIND THREADS ROUNDS
 *   KIND     fork, _Fork, raw (the system call), clone, shared (clone, with the parent's
 *   memory), vfork, exec (vfork, and this program again)
 *   THREADS  that multiply at the same time */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/products.h"

enum { MOST_THREADS = 16, STACK = 1 << 20, LARGE = 1 << 22 };

static mpz_t small, large, product; /* `product` is the square of `large`; the parent computes it */
static atomic_int stop;
static atomic_long calls;

static int is_right(const mpz_t u) {
    mpz_t r;
    mpz_init(r);
    mpz_mul(r, u, u);
    atomic_fetch_add(&calls, 1);
    int right = is_product(r, u, u);
    mpz_clear(r);
    return right;
}

static void *multiply_often(void *unused) {
    while (!atomic_load(&stop))
        if (!is_right(small))
            fail("wrong product beside a child");
    return unused;
}

/* Enlarges, shrinks and clears the parent's `product` in a child with its own copy of memory. */
static int use_numbers(void) {
    int right = is_product(product, large, large);
    mpz_realloc2(product, LARGE * 4);
    right = right && is_product(product, large, large);
    mpz_realloc2(product, LARGE * 2 + 64);
    right = right && is_product(product, large, large);
    mpz_clear(product);
    return right && is_right(large);
}

static int multiply_in_child(void *is_shared) {
    int right = is_right(small) && is_right(large);
    if (is_shared)
        _exit(right ? 0 : 1);
    right = right && use_numbers();
    exit(right ? 0 : 1);
}

static pid_t make_by_clone(int flags, void *is_shared) {
    static char *stack;
    stack = stack ? stack : malloc(STACK);
    return clone(multiply_in_child, stack + STACK, flags | SIGCHLD, is_shared);
}

static pid_t make_by_new_fork(void) {
    pid_t (*function)(void);
    void *address = dlsym(RTLD_DEFAULT, "_Fork");
    memcpy(&function, &address, sizeof function);
    if (address)
        return function();
    puts("skipped: no _Fork in this C library");
    exit(77);
}

/* Creates a child of that kind; returns 0 in the child. */
static pid_t make(const char *kind) {
    if (strcmp(kind, "fork") == 0)
        return fork();
    if (strcmp(kind, "_Fork") == 0)
        return make_by_new_fork();
    if (strcmp(kind, "raw") == 0)
        return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (strcmp(kind, "clone") == 0)
        return make_by_clone(0, NULL);
    if (strcmp(kind, "shared") == 0)
        return make_by_clone(CLONE_VM | CLONE_VFORK, &stop);
    pid_t pid = vfork();
    if (pid == 0 && strcmp(kind, "exec") == 0) {
        execl("/proc/self/exe", "children", "alone", NULL);
        _exit(1);
    }
    if (pid == 0)
        multiply_in_child(&stop);
    return pid;
}

static void make_child(const char *kind) {
    int status;
    pid_t pid = make(kind);
    if (pid == 0)
        multiply_in_child(NULL);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        fail("no child");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("a child has ended badly");
    if (!is_right(small) || !is_product(product, large, large))
        fail("wrong product after a child");
}

int main(int argc, char **argv) {
    pthread_t thread[MOST_THREADS];
    int threads = argc > 2 ? atoi(argv[2]) : 0, rounds = argc > 3 ? atoi(argv[3]) : 1;
    mpz_inits(small, large, product, NULL);
    number(small, 30000);
    number(large, LARGE);
    mpz_mul(product, large, large);
    if (argc > 1 && strcmp(argv[1], "alone") == 0)
        multiply_in_child(NULL);
    for (int i = 0; i < threads && i < MOST_THREADS; i++)
        if (pthread_create(&thread[i], NULL, multiply_often, NULL) != 0)
            fail("no thread");
    for (int i = 0; i < rounds; i++)
        make_child(argc > 1 ? argv[1] : "fork");
    atomic_store(&stop, 1);
    for (int i = 0; i < threads && i < MOST_THREADS; i++)
        pthread_join(thread[i], NULL);
    puts("right");
    return 0;
}
