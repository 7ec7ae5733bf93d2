/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_exits.sh: ends, or replaces itself by exec, in each way that a
 * process can.
 * Usage: exits WAY [PRODUCTS]
 *   PRODUCTS  number of products that it computes before it ends (default: 1) */
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/products.h"

static const char *self;

static atomic_bool rests; /* set when the program has worked long enough for the test; threads
                             then sleep */

static void *multiply_for_ever(void *unused) {
    for (;;)
        atomic_load(&rests) ? (void)sleep(1) : multiply(20000);
    return unused;
}

/* Starts a thread that multiplies for ever; returns 30 ms later. */
static pthread_t worker(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, multiply_for_ever, NULL) != 0)
        fail("no thread");
    usleep(30000);
    return thread;
}

static void say(const char *text) {
    puts(text);
    fflush(stdout);
}

static void wait_for(pid_t child, int wanted) {
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("no child");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
        fail("the child's status");
}

static void again(void) {
    execl(self, self, "return", "2", (char *)NULL);
    fail("exec");
}

static void exec_self(void) {
    again();
}

static void exec_while_working(void) {
    worker();
    again();
}

static void vfork_and_exec(void) {
    worker();
    for (int i = 0; i < 3; i++) {
        pid_t child = vfork();
        if (child == 0) {
            execl("/bin/echo", "echo", "a child of vfork", (char *)NULL);
            _exit(1);
        }
        wait_for(child, 0);
        multiply(50000);
    }
}

static void end_at_once(void) {
    worker();
    _exit(21);
}

static void end_by_abort(void) {
    worker();
    abort();
}

static void end_by_signal(void) {
    worker();
    raise(SIGTERM);
}

static void end_quickly(void) {
    worker();
    quick_exit(22);
}

static void end_while_working(void) {
    worker();
    exit(23);
}

static void *exit_from_here(void *unused) {
    usleep(30000);
    exit(24);
    return unused;
}

static void end_from_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, exit_from_here, NULL);
    multiply_for_ever(NULL);
}

static void take_time(void) {
    sleep(1);
    atomic_store(&rests, true);
    sleep(3);
}

static void end_slowly(void) {
    atexit(take_time);
    end_from_thread();
}

static void *last_work(void *unused) {
    for (int i = 0; i < 5; i++)
        multiply(20000);
    say("the last thread");
    return unused;
}

static void end_of_main_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, last_work, NULL);
    pthread_exit(NULL);
}

/* The C library's function that registers destructors of thread_local objects. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static pthread_key_t key;

/* Sets the key's value again in each round of destructors. */
static void destroy_value(void *value) {
    say("a destructor of a key");
    pthread_setspecific(key, value);
}

static void destroy_object(void *unused) {
    (void)unused;
    say("a destructor of a thread_local object");
}

/* Ends the main thread without another thread of the program: all destructors must run. */
static void end_of_only_thread(void) {
    if (pthread_key_create(&key, destroy_value) != 0 || pthread_setspecific(key, &key) != 0 ||
        __cxa_thread_atexit_impl(destroy_object, NULL, &__dso_handle) != 0)
        fail("a destructor");
    pthread_exit(NULL);
}

/* Opens files until only `left` descriptors are free. Loads libgcc_s before, because
 * pthread_exit needs it. */
static void take_descriptors(int left) {
    struct rlimit limit = {256, 256};
    int last = 0, next;
    if (!dlopen("libgcc_s.so.1", RTLD_NOW) || setrlimit(RLIMIT_NOFILE, &limit) != 0)
        fail("descriptors");
    while ((next = open("/dev/null", O_RDONLY)) >= 0)
        last = next;
    while (left-- > 0)
        close(last--);
}

/* Thread that runs on after the main thread's pthread_exit. Without free descriptors, too, the
 * library must recognise it as the last thread. */
static void *late_work(void *unused) {
    usleep(500000);
    say("the last thread, late");
    return unused;
}

static void end_without_descriptors(int left) {
    pthread_t thread;
    take_descriptors(left);
    pthread_create(&thread, NULL, late_work, NULL);
    pthread_exit(NULL);
}

static void end_with_one_descriptor(void) {
    end_without_descriptors(1);
}

static void end_with_no_descriptor(void) {
    end_without_descriptors(0);
}

static void cancel_thread(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t thread = worker();
        pthread_cancel(thread);
        /* A loop of products has no cancellation point, so the cancelled thread may run on. The
         * program does not wait for its end. */
        pthread_detach(thread);
        multiply(30000);
    }
}

/* Runs in a child: computes products while a thread works, then exits. */
static void carry_on(int status) {
    pthread_t thread = worker();
    for (int i = 0; i < 3; i++)
        multiply(40000);
    pthread_detach(thread);
    exit(status);
}

static void fork_children(void) {
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0)
            carry_on(30 + i);
        multiply(40000);
        wait_for(child, 30 + i);
    }
}

static void fork_while_working(void) {
    worker();
    worker();
    fork_children();
}

static void *fork_here(void *unused) {
    fork_children();
    return unused;
}

static void fork_from_thread(void) {
    pthread_t thread;
    worker();
    pthread_create(&thread, NULL, fork_here, NULL);
    for (int i = 0; i < 3; i++)
        multiply(30000);
    pthread_join(thread, NULL);
}

/* Waits for the child like wait_for, but fails after 30 s: threads of a hanging child may block
 * all signals. */
static void wait_for_soon(pid_t child) {
    for (int i = 0; i < 300; i++, usleep(100000)) {
        int status;
        if (waitpid(child, &status, WNOHANG) != child)
            continue;
        if (status != 0)
            fail("the child's status");
        return;
    }
    kill(child, SIGKILL);
    fail("the child does not end");
}

/* Forks in the calling thread, which so becomes the child's main thread. The child's main thread
 * multiplies and ends, without ending the process. */
static void *fork_main_thread(void *unused) {
    pid_t child = fork();
    if (child == 0) {
        multiply(40000);
        end_of_main_thread();
    }
    wait_for_soon(child);
    return unused;
}

static void fork_and_end_main_thread(void) {
    fork_main_thread(NULL);
}

static void fork_from_thread_and_end(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, fork_main_thread, NULL);
    pthread_join(thread, NULL);
}

/* Becomes a daemon: the grandchild continues to compute after its parent has exited. */
static void become_daemon(void) {
    int ends[2];
    char text[20];
    if (pipe(ends) != 0)
        fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        multiply(100000);
        _exit(write(ends[1], "a daemon's work", 15) != 15);
    }
    wait_for(child, 0);
    close(ends[1]);
    ssize_t n = read(ends[0], text, sizeof text);
    printf("%.*s\n", n > 0 ? (int)n : 0, text);
}

static void simply_return(void) {
}

static void return_while_working(void) {
    worker();
}

static const struct {
    const char *name;
    void (*function)(void);
} ways[] = {
    {"return", simply_return},
    {"return-working", return_while_working},
    {"exec", exec_self},
    {"exec-working", exec_while_working},
    {"vfork", vfork_and_exec},
    {"_exit", end_at_once},
    {"abort", end_by_abort},
    {"signal", end_by_signal},
    {"quick_exit", end_quickly},
    {"exit-working", end_while_working},
    {"exit-thread", end_from_thread},
    {"exit-slowly", end_slowly},
    {"main-thread", end_of_main_thread},
    {"only-thread", end_of_only_thread},
    {"main-thread-descriptor", end_with_one_descriptor},
    {"main-thread-descriptors", end_with_no_descriptor},
    {"cancel", cancel_thread},
    {"fork", fork_children},
    {"fork-working", fork_while_working},
    {"fork-thread", fork_from_thread},
    {"fork-main-thread", fork_and_end_main_thread},
    {"fork-thread-main-thread", fork_from_thread_and_end},
    {"daemon", become_daemon},
};
enum { WAYS = sizeof ways / sizeof *ways };

int main(int argc, char **argv) {
    self = argv[0];
    for (int i = 0; argc > 1 && i < WAYS; i++) {
        if (strcmp(argv[1], ways[i].name) != 0)
            continue;
        for (int k = argc > 2 ? atoi(argv[2]) : 1; k > 0; k--)
            multiply(60000);
        say(ways[i].name);
        ways[i].function();
        say("returned");
        return 7;
    }
    for (int i = 0; i < WAYS; i++)
        puts(ways[i].name);
    return 1;
}
