/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_interrupts.sh that receives signals while it multiplies.
 * longjmp.c tests handlers that leave a product by siglongjmp.
 * Usage: interrupts storm|multiply|allocate|end|keep|fork|stop */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/products.h"

static volatile sig_atomic_t signals, wrong;

static void count(int signal) {
    (void)signal;
    signals++;
}

/* Signal handler that multiplies. GMP's manual allows this, except for numbers that the
 * interrupted call uses. */
static void multiply_here(int signal) {
    (void)signal;
    static mp_limb_t u[300], r[600];
    u[0] = u[299] = ++signals;
    mpn_sqr(r, u, 300);
    wrong |= r[0] != (mp_limb_t)signals * (mp_limb_t)signals || r[300] != 0;
}

static void end(int signal) {
    (void)signal;
    exit(40);
}

static void handle(int signal, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler; /* without SA_RESTART */
    sigaction(signal, &action, NULL);
}

static void start_timer(int microseconds, int repeats) {
    struct itimerval timer = {.it_value = {0, microseconds}};
    if (repeats)
        timer.it_interval = timer.it_value;
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Computes products while signals arrive, until there were 20 products and `enough` signals. */
static void work(int enough) {
    for (int i = 0; i < 20 || signals < enough; i++) {
        errno = 4711;
        multiply(40000);
        if (errno != 4711 && errno != EINTR)
            fail("errno");
    }
    start_timer(0, 0);
}

static void *work_in_thread(void *unused) {
    for (int i = 0; i < 10; i++)
        multiply(30000);
    return unused;
}

static void storm(void) {
    pthread_t thread;
    handle(SIGALRM, count);
    start_timer(300, 1);
    pthread_create(&thread, NULL, work_in_thread, NULL);
    work(50);
    pthread_join(thread, NULL);
    puts("products in a storm of signals");
}

static void multiply_in_handler(void) {
    multiply(40000);
    handle(SIGALRM, multiply_here);
    start_timer(5000, 1);
    work(20);
    puts(wrong ? "a handler's product is wrong" : "products in handlers");
}

static void multiply_and_go_on(int signal) {
    multiply_here(signal);
    start_timer(200, 0);
}

/* Signals interrupt malloc. The signal handler multiplies by mpn_sqr, which calls no malloc for its
 * short operands. */
static void allocate(void) {
    void *blocks[64] = {NULL};
    multiply(40000);
    handle(SIGALRM, multiply_and_go_on);
    start_timer(200, 0);
    for (size_t i = 0; signals < 200; i++) {
        void **block = &blocks[i % 64];
        free(*block);
        *block = realloc(malloc(i % 977 + 16), i % 4999 + 16);
    }
    start_timer(0, 0);
    for (size_t i = 0; i < 64; i++)
        free(blocks[i]);
    puts(wrong ? "a handler's product is wrong" : "products in handlers inside malloc");
}

static void end_in_handler(void) {
    static mp_limb_t u[800] = {3}, r[1600];
    handle(SIGINT, end);
    multiply(50000);
    puts("before the signal");
    fflush(stdout);
    if (fork() == 0) {
        usleep(100000);
        kill(getppid(), SIGINT);
        _exit(0);
    }
    for (;;) /* This loop calls no malloc: the handler's exit may need malloc's lock. */
        mpn_sqr(r, u, 800);
}

enum { MOST_CHILDREN = 8 };
static volatile sig_atomic_t children, is_child;

/* Signal handler that forks during a product; child and parent must both finish the product. */
static void fork_here(int signal) {
    (void)signal;
    if (children >= MOST_CHILDREN || is_child)
        return;
    const pid_t child = fork();
    children += child > 0;
    is_child = child == 0;
}

/* Squares u. Calls no malloc if r has room for the result: fork in a handler waits for malloc's
 * lock, which the interrupted thread must not hold. */
static void square(mpz_t r, const mpz_t u) {
    mpz_mul(r, u, u);
    if (!is_product(r, u, u))
        fail("wrong product");
}

static void fork_in_handlers(void) {
    mpz_t u, r;
    mpz_inits(u, r, NULL);
    number(u, 15000);
    square(r, u);
    handle(SIGALRM, fork_here);
    start_timer(3000, 1);
    while (children < MOST_CHILDREN && !is_child)
        square(r, u);
    start_timer(0, 0);
    for (int i = 0; i < 3; i++)
        square(r, u);
    if (is_child)
        _exit(0);
    for (int i = 0, status; i < MOST_CHILDREN; i++)
        if (wait(&status) < 0 || status != 0)
            fail("a child of a handler");
    mpz_clears(u, r, NULL);
    puts("children made in handlers");
}

/* Sends SIGUSR2 to the process while this thread blocks it. No other thread may take it: this
 * thread must handle it when it unblocks it. */
static void signal_process(void) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR2);
    usleep(100000);
    if (signals != 0)
        fail("another thread has taken a signal");
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

/* Checks that a product does not change the action of any signal, and leaves no thread that takes
 * the program's signals. */
static void keep(void) {
    struct sigaction before[32], now;
    handle(SIGUSR2, count);
    handle(SIGXCPU, count);
    for (int s = 1; s < 32; s++)
        sigaction(s, NULL, &before[s]);
    multiply(50000);
    for (int s = 1; s < 32; s++)
        if (sigaction(s, NULL, &now) == 0 && now.sa_handler != before[s].sa_handler)
            fail("a handler of the program's is gone");
    signal_process();
    raise(SIGXCPU);
    puts(signals == 2 ? "signals handled" : "signals lost");
}

/* Forks a process that stops this process by SIGSTOP and continues it 4 s later. */
static pid_t start_stopping(void) {
    pid_t child = fork();
    if (child != 0)
        return child;
    usleep(500000);
    kill(getppid(), SIGSTOP);
    sleep(4);
    kill(getppid(), SIGCONT);
    _exit(0);
}

/* Computes long products, so that SIGSTOP arrives during one of them, and more products after
 * SIGCONT. */
static void stop(void) {
    mpz_t u, r;
    mpz_inits(u, r, NULL);
    number(u, 16000000);
    multiply(50000);
    pid_t child = start_stopping();
    for (int more = 10; more > 0; more -= waitpid(child, NULL, WNOHANG) != 0)
        mpz_mul(r, u, u);
    puts(is_product(r, u, u) ? "products of a process that was stopped" : "a wrong product");
    mpz_clears(u, r, NULL);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*function)(void);
    } cases[] = {{"storm", storm},
                 {"multiply", multiply_in_handler},
                 {"allocate", allocate},
                 {"end", end_in_handler},
                 {"keep", keep},
                 {"stop", stop},
                 {"fork", fork_in_handlers}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].function();
    }
    return 5;
}
