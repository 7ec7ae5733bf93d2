/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-info: prints the devices and libraries of this machine that the library can use, and the
 * options in force. */
#include "config.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "gpu/build/own_process.h"
#include "lib/base/conf.h"
#include "lib/session/flint_found.h"
#include "lib/session/session.h"
#include "lib/session/start/starting.h"
#include "tools/build_kernels.h"
#include "tools/libgmp.h"
#include "tools/output.h"

enum { MOST_DEVICES = 16, PRINTED = 77 /* exit status of a child that has printed */ };

static void line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void line(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("  ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

static void print_gmp(void) {
    struct libgmp gmp = libgmp_loaded();
    printf("GMP\n");
    line("version %s", gmp.version);
    line("library %s", gmp.path);
    line("inner calls %s", gmp.inner_calls > 0 ? "can be intercepted"
                           : gmp.inner_calls == 0
                               ? "cannot be intercepted: only what a program itself calls"
                               : "unknown");
}

/* Prints the FLINT that the dynamic linker finds by its name.  Python wheels contain a FLINT of
 * their own, which is not shown. */
static void print_flint(void) {
    /* versions in the names of FLINT's library: 13 is FLINT 2.5, 40 leaves space for future ones */
    enum { FIRST = 13, LAST = 40 };
    char name[24];
    void *handle = NULL;
    for (int version = LAST; version >= FIRST && !handle; version--) {
        snprintf(name, sizeof name, "libflint.so.%d", version);
        handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    }
    const struct flint_found flint = flint_found();
    printf("FLINT\n");
    if (!flint.version) {
        line("not found by the dynamic linker; a Python wheel contains its own FLINT");
        return;
    }
    line("version %.8s", flint.is_known ? flint.version : "unknown");
    line("library %s", flint.path);
    line("large products %s", flint.is_known ? "are caught" : "are left alone");
}

/* ---- devices: child processes ask the drivers, because a driver may end the process that asks */

/* Calls work(context) in a child process.  Returns false, and describes the child's end in `why`,
 * if the child ended before it had printed. */
static bool run_apart(void (*work)(const void *context), const void *context, char why[64]) {
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        work(context);
        _exit(fflush(stdout) == 0 ? PRINTED : 1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        snprintf(why, 64, "there is no process to ask it");
    else if (WIFSIGNALED(status))
        snprintf(why, 64, "its driver ended the process that asked it (%s)",
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != PRINTED)
        snprintf(why, 64, "its driver ended the process that asked it (exit status %d)",
                 WEXITSTATUS(status));
    else
        return true;
    return false;
}

static void print_device(int index, const struct gpu_caps *caps) {
    line("%d: %s%s", index, caps->name, caps->is_cpu ? " (the CPU)" : "");
    line("   %s, %s", caps->vendor, caps->driver);
    line("   %u compute units, groups of %u, %" PRIu64 " KiB local memory", caps->compute_units,
         caps->max_group, caps->local_bytes >> 10);
    line("   %" PRIu64 " MiB memory, at most %" PRIu64 " MiB at once", caps->memory_bytes >> 20,
         caps->max_alloc >> 20);
}

static void print_backend(const void *context) {
    static struct gpu_caps caps[MOST_DEVICES];
    const struct gpu_backend *backend = context;
    own_process_begin();
    int devices = backend->enumerate(caps, MOST_DEVICES);
    printf("backend %s: %d device%s\n", backend->name, devices, devices == 1 ? "" : "s");
    for (int i = 0; i < devices && i < MOST_DEVICES; i++)
        print_device(i, &caps[i]);
}

static void print_backends(void) {
    if (!gpu_backends[0])
        printf("no backend compiled in\n");
    char why[64];
    for (int i = 0; gpu_backends[i]; i++)
        if (!run_apart(print_backend, gpu_backends[i], why))
            printf("backend %s: %s\n", gpu_backends[i]->name, why);
}

/* Prints the server and its clients, a line each. */
static void print_server(void) {
    static char text[GPU_SERVED_LIST];
    if (!gpu_served_list(text, sizeof text)) {
        printf("no server\n");
        line("%s", gpu_error_text());
        return;
    }
    printf("server\n");
    for (const char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
        line("%s", at);
}

/* If the option `device` lists several devices, prints each of them, and why some are not in
 * use. */
static bool print_several(void) {
    struct session_work work;
    if (!session_ask_work(1, &work))
        return false;
    for (unsigned i = 0; session_ask_work(i, &work); i++)
        line("%u: %s%s", i, work.is_used ? "" : "not in use: ", work.about);
    return true;
}

/* Opens the device with its self-tests, as a program would. */
static void print_chosen(void) {
    char text[512];
    starting_forbid();
    enum outcome outcome = session_wait();
    session_describe(text, sizeof text);
    printf("%s\n", outcome == OUTCOME_DONE ? "device in use" : "no device in use");
    if (!print_several())
        line("%s", text);
}

/* Prints the thresholds in force on the device, and the file that each comes from. */
static void print_profile(void) {
    struct gpu_device dev;
    struct profile profile;
    if (session_profile(&dev, &profile) != OUTCOME_DONE) {
        printf("no profile in force: no device\n");
        return;
    }
    printf("profile in force\n");
    profile_print(&profile, line);
}

static void print_options(void) {
    printf("options\n");
    conf_print(line);
}

static void print_in_force(const void *unused) {
    (void)unused;
    session_init();
    own_process_begin();
    print_chosen();
    print_options();
    print_profile();
}

/* Prints the device in use, or the reason why there is none.  Sets *is_there, in memory shared with
 * the parent process. */
static void print_in_use(const void *is_there) {
    char text[512];
    session_init();
    own_process_begin();
    starting_forbid();
    *(bool *)is_there = session_wait() == OUTCOME_DONE;
    session_describe(text, sizeof text);
    puts(text);
}

/* Prints the device that programs would use.  Returns 0 if there is one, otherwise 1. */
static int print_device_in_use(void) {
    char why[64];
    bool *is_there =
        mmap(NULL, sizeof *is_there, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    conf_init();
    gpu_set_cache_dir(mpgpu_conf.cache);
    if (is_there == MAP_FAILED || !run_apart(print_in_use, is_there, why)) {
        puts(is_there == MAP_FAILED ? "no memory" : why);
        return 1;
    }
    return *is_there ? 0 : 1;
}

static void usage(void) {
    puts("Usage: mpgpu-info [--build|--device|--help|--version]\n"
         "Print the GMP library, the backends and their devices, mpgpu-serve and its clients,\n"
         "the device that programs will use, and the options and the profile in force, with where "
         "they come from.\n"
         "\n"
         "  --build    build the kernels that programs will ask the device for, where that\n"
         "             is done at run time, and keep them for later programs\n"
         "  --device   print only the device that programs will use; exit with 1 and the\n"
         "             reason if there is none");
}

static int print_all(void) {
    char why[64];
    printf("mpgpu-gmp %s\n", PACKAGE_VERSION);
    conf_init();
    gpu_set_cache_dir(mpgpu_conf.cache);
    print_gmp();
    print_flint();
    print_backends();
    print_server();
    if (!run_apart(print_in_force, NULL, why)) {
        printf("no device in use\n");
        line("%s", why);
        print_options();
    }
    return 0;
}

/* Carries out the only argument, if there is one.  Returns the exit status. */
static int carry_out(int argc, char **argv) {
    if (argc == 1)
        return print_all();
    if (argc == 2 && strcmp(argv[1], "--build") == 0)
        return build_kernels();
    if (argc == 2 && strcmp(argv[1], "--device") == 0)
        return print_device_in_use();
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("mpgpu-info (mpgpu-gmp) %s\n", PACKAGE_VERSION);
        return 0;
    }
    fprintf(stderr, "mpgpu-info: unknown argument %s (mpgpu-info --help lists them)\n",
            argv[argc > 2 ? 2 : 1]);
    return 2;
}

int main(int argc, char **argv) {
    return output_end("mpgpu-info", carry_out(argc, argv), 1);
}
