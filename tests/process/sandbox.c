/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that forbids itself threads, files and programs by a seccomp filter, as a
 * sandboxed worker does, and multiplies.
 * Usage: sandbox ACTION [WHEN]
 *   ACTION  kill: a forbidden call ends the process
 *           refuse: a forbidden call returns an error
 *           strict: only reading, writing and malloc's memory calls are allowed; others end the
 *           process. `strict last` also allows waiting
 *   WHEN    first (default): sets the filter at once; last: after a product
 * Or: sandbox inherit PROGRAM [ARGUMENT]...: runs the program under a filter that forbids only a
 * call that the program does not need, as a container's filter does. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/products.h"

static void install(const struct sock_filter *filter, unsigned short count) {
    struct sock_fprog program = {count, (struct sock_filter *)filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        puts("no filter can be had");
        exit(77);
    }
}

#define SYSTEM_CALL BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define IF(number, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, skipped, 0)
#ifndef SYS_access
#define SYS_access SYS_faccessat
#endif
#define END(action) BPF_STMT(BPF_RET | BPF_K, action)

static void forbid(unsigned action) {
    const struct sock_filter filter[] = {
        SYSTEM_CALL,       IF(SYS_clone, 6),       IF(SYS_clone3, 5),
        IF(SYS_openat, 4), IF(SYS_faccessat, 3),   IF(SYS_access, 2),
        IF(SYS_execve, 1), END(SECCOMP_RET_ALLOW), END(action),
    };
    install(filter, sizeof filter / sizeof *filter);
}

/* Allows only the system calls that GMP alone needs; with `waits` also those for waiting and for
 * signals. */
static void allow_few(int waits) {
    enum { WAITING = 6 };
    struct sock_filter filter[] = {
        SYSTEM_CALL,
        IF(SYS_futex, 13),
        IF(SYS_getpid, 12),
        IF(SYS_rt_sigprocmask, 11),
        IF(SYS_rt_sigpending, 10),
        IF(SYS_rt_sigaction, 9),
        IF(SYS_rt_sigreturn, 8),
        IF(SYS_read, 7),
        IF(SYS_write, 6),
        IF(SYS_exit, 5),
        IF(SYS_exit_group, 4),
        IF(SYS_brk, 3),
        IF(SYS_fstat, 2),
        IF(SYS_newfstatat, 1),
        END(SECCOMP_RET_KILL_PROCESS),
        END(SECCOMP_RET_ALLOW),
    };
    const int first = waits ? 0 : WAITING;
    filter[first] = filter[0];
    install(filter + first, sizeof filter / sizeof *filter - (unsigned short)first);
}

static void inherit(char **arguments) {
    const struct sock_filter filter[] = {
        SYSTEM_CALL,
        IF(SYS_kexec_load, 1),
        END(SECCOMP_RET_ALLOW),
        END(SECCOMP_RET_ERRNO | 1),
    };
    install(filter, sizeof filter / sizeof *filter);
    execvp(arguments[0], arguments);
    fail("exec");
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "inherit") == 0)
        inherit(argv + 2);
    if (argc < 2)
        fail("usage");
    mallopt(M_MMAP_THRESHOLD, 1 << 24); /* makes malloc allocate these numbers without mmap */
    if (argc > 2 && strcmp(argv[2], "last") == 0)
        multiply(1000000);
    if (strcmp(argv[1], "strict") == 0)
        allow_few(argc > 2);
    else
        forbid(strcmp(argv[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | 1);
    for (int i = 0; i < 3; i++)
        multiply(1000000);
    if (argc > 2) /* long enough for several threads to copy an operand */
        multiply(4000000);
    puts("right");
    return 5;
}
