/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-serve: the process that owns the devices for all programs of a user. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpu/build/own_process.h"
#include "gpu/served/served_socket.h"
#include "gpu/served/served_start.h"
#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tools/output.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_table.h"
#include "tools/serve/serve.h"

enum {
    IDLE_SECONDS = 300,
    OWN_IDLE_SECONDS = 30, /* a private server ends after this time without a client */
    CLOSE_SECONDS = 60,
    LOOK_MS = 250,
    END_MS = 3000,
    AWAIT_MS = 60000, /* how long `mpgpu-serve --end` waits until the server has ended */
    UNANSWERED_MS = 1000,
    STEP_MS = 10,
    STARTER_MS = 1000,
    LEAST_CPUS = 4,
    MOST_FILES = 1024
};

struct options {
    bool foreground, on_demand;
    long idle;  /* idle seconds after which the server ends; 0: it never ends; -1: the default */
    long close; /* the same */
};

/* ---- its time */

static int64_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Blocks the signals that end the server, and returns a descriptor from which they are read.  Call
 * it before any thread is created. */
static int take_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Returns NULL, or the reason why the server must end. */
static const char *reason_to_end(int signals, int file, int64_t idle_since, long idle) {
    struct signalfd_siginfo one;
    if (read(signals, &one, sizeof one) > 0)
        return "a signal";
    if (serve_socket_is_ended()) {
        group_end();
        return "it was asked to end";
    }
    const char *why = group_reason_to_end();
    if (why || (why = serve_owner_reason_to_end()))
        return why;
    if (serve_devices > 0 && !serve_devices_check())
        return serve_devices == 1 ? "its device has failed" : "its devices have failed";
    if (serve_idle_has_failed())
        return "its devices do not open again";
    if (!serve_socket_is_there(file))
        return "its socket is gone";
    return idle > 0 && idle_since && seconds() - idle_since >= idle ? "idle" : NULL;
}

static void run(int signals, int file, long idle, long close_after) {
    const int files[] = {file, signals, serve_owner_file()};
    int64_t idle_since = seconds();
    const char *why;
    while (!(why = reason_to_end(signals, file, idle_since, idle))) {
        if (serve_clients_watch(files, sizeof files / sizeof *files, LOOK_MS))
            serve_socket_accept(file);
        bool is_idle = serve_clients_count() == 0;
        idle_since = !is_idle ? 0 : idle_since ? idle_since : seconds();
        serve_idle_look(close_after);
    }
    serve_log(2, "ends: %s", why);
    serve_socket_refuse(file, "the server ends");
    serve_clients_end_all("the server ends", END_MS);
}

/* ---- beginning */

/* Reports success or failure through the pipe to the process that started this server in the
 * background and waits for it. */
static void tell(int pipe_end, char done) {
    if (pipe_end >= 0 && write(pipe_end, &done, 1) != 1)
        serve_log(2, "nobody waits for the start");
    if (pipe_end >= 0)
        close(pipe_end);
}

/* Closes inherited descriptors except the first three, `kept`, and the group's socket. */
static void close_others(int kept) {
    for (int file = 3; file < MOST_FILES; file++)
        if (file != kept && (group_table.ranks == 0 || file != group_table.file))
            close(file);
}

static void leave_terminal(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    if (null > 2)
        close(null);
}

/* Opens the socket for programs.  In a group, only the first member of a host opens one.  Sets
 * *runs to whether another server has that socket. */
static int open_socket(bool *runs) {
    *runs = false;
    return group_is_leader() ? serve_socket_open(runs) : -1;
}

static bool has_socket(int file) {
    return file >= 0 || !group_is_leader();
}

/* Opens the devices.  A member of a group may have none: its host's programs can still use the
 * other members' devices. */
static bool open_devices(void) {
    const struct group_table *t = &group_table;
    bool is_any = strcasecmp(mpgpu_conf.device, "auto") == 0;
    unsigned rank = t->ranks > 0 && is_any ? t->peer[t->rank].host_rank : 0;
    return serve_open_devices(rank) || t->ranks > 1;
}

static long idle_seconds(const struct options *o) {
    if (o->idle >= 0)
        return o->idle;
    return group_table.ranks > 0 ? 0 : serve_owner_key() ? OWN_IDLE_SECONDS : IDLE_SECONDS;
}

/* Returns the idle seconds after which devices are closed.  Devices of a group stay open, because
 * other members may send jobs. */
static long close_seconds(const struct options *o) {
    return group_table.ranks > 0 ? 0 : o->close >= 0 ? o->close : CLOSE_SECONDS;
}

/* Starts the engine that computes clients' jobs on this process's devices.  It checks every
 * result. */
static void begin_session(void) {
    struct gpu_device device[SERVED_DEVICES];
    for (unsigned i = 0; i < serve_own_devices; i++)
        device[i] = serve_device[i].dev;
    mpgpu_conf.verify = VERIFY_DEVICE;
    session_init();
    session_run_here();
    session_adopt(device, serve_own_devices);
    session_wait();
}

/* Runs the server until it must end, and exits.  Returns the exit status if it cannot begin. */
static int serve(const struct options *o, int pipe_end) {
    bool runs;
    own_process_begin();
    own_process_is_ended_first();
    int signals = take_signals();
    int file = open_socket(&runs);
    if (runs && !o->on_demand && (group_table.ranks > 0 || o->foreground))
        serve_log(1, "another server runs here: `mpgpu-serve --end` ends it");
    if (!has_socket(file) || !serve_owner_begin() || !group_prepare() || !open_devices()) {
        /* the program that started this server connects soon, and must receive the reason for the
         * failure */
        if (file >= 0 && o->on_demand)
            poll(&(struct pollfd){.fd = file, .events = POLLIN}, 1, STARTER_MS);
        if (file >= 0)
            serve_socket_refuse(file, serve_open_reason());
        tell(pipe_end, runs ? 'r' : 'n');
        return runs && (!o->foreground || o->on_demand) ? 0 : 1;
    }
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    bool spins = !serve_device[0].dev.caps.is_cpu && cpus >= LEAST_CPUS;
    serve_channel_spinners(spins ? (int)cpus / 2 : 0);
    begin_session();
    serve_spares_begin();
    group_begin();
    tell(pipe_end, 'y');
    if (pipe_end >= 0)
        leave_terminal();
    run(signals, file, idle_seconds(o), close_seconds(o));
    fflush(stdout);
    _exit(0); /* skips cleanup, because a driver that hangs may also hang there */
}

/* Starts a server in the background.  Returns when it is ready or has failed. */
static int start(const struct options *o) {
    int ends[2];
    char done = 'n';
    pid_t pid = pipe(ends) == 0 ? fork() : -1;
    if (pid < 0) {
        fprintf(stderr, "mpgpu-serve: no process in the background: %s\n", strerror(errno));
        return 1;
    }
    if (pid == 0) {
        close_others(ends[1]);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        setsid();
        if (chdir("/") != 0)
            return 1;
        return serve(o, ends[1]);
    }
    close(ends[1]);
    while (read(ends[0], &done, 1) < 0 && errno == EINTR)
        continue;
    return done == 'n';
}

static int list(void) {
    static char text[GPU_SERVED_LIST];
    if (!gpu_served_list(text, sizeof text)) {
        fprintf(stderr, "mpgpu-serve: %s\n", gpu_error_text());
        return 1;
    }
    fputs(text, stdout);
    return 0;
}

/* Waits at most `ms` milliseconds until the process has ended, so that a server started next does
 * not find the old one.  Returns whether the process has ended. */
static bool await_end(pid_t pid, int ms) {
    uint64_t begun = served_begun(pid);
    for (; ms > 0 && begun && served_begun(pid) == begun; ms -= STEP_MS)
        usleep(STEP_MS * 1000);
    return !begun || served_begun(pid) != begun;
}

/* Asks the running server to end.  A server that ends by itself at this moment (idle, or its device
 * has failed) may end without an answer. */
static int end(void) {
    struct served_hello hello = {.purpose = SERVED_END};
    static struct served_welcome welcome;
    int file;
    pid_t peer = 0;
    enum gpu_status status = served_socket_ask(&hello, &welcome, &file, &peer);
    if (status != GPU_OK && peer > 0 && await_end(peer, UNANSWERED_MS))
        return 0;
    if (status != GPU_OK)
        fprintf(stderr, "mpgpu-serve: %s\n", gpu_error_text());
    else if (await_end((pid_t)welcome.process, AWAIT_MS))
        return 0;
    else
        fprintf(stderr, "mpgpu-serve: process %d does not end\n", (int)welcome.process);
    return 1;
}

static void usage(void) {
    puts("Usage: mpgpu-serve [--foreground] [--close SECONDS] [--idle SECONDS] [--group FILE] |\n"
         "       --list | --end | --help | --version\n"
         "Own the devices that the options of mpgpu-gmp(7) name, for the programs of this user.\n"
         "\n"
         "  --foreground    stay in the foreground; warnings go to stderr, and with the option\n"
         "                  log:2 who comes and goes\n"
         "  --on-demand     as a program starts it: in the foreground, with a CPU too whose "
         "kernels\n"
         "                  are built; nothing of the starting program's settings counts\n"
         "  --owner P/N     as a program with server:private starts it: for process P and its "
         "children,\n"
         "                  with which it ends\n"
         "  --close SECONDS close devices that no program has used for so long, until one does\n"
         "                  (60; 0: never)\n"
         "  --idle SECONDS  end when no program has used it for so long (300; 0: never)\n"
         "  --group FILE    with servers of other hosts, whose addresses are in the file\n"
         "  --list          print the server that runs and its clients\n"
         "  --end           end the server that runs");
}

static bool parse_number(const char *text, long *number) {
    char *end;
    if (!text)
        return false;
    errno = 0;
    *number = strtol(text, &end, 10);
    return *text && !*end && errno == 0 && *number >= 0;
}

/* Reads the group's table, from the descriptor that mpgpu-serve-mpi passes or from a file.  Returns
 * NULL, or the fault. */
static const char *parse_group(const char *text) {
    long file;
    if (!parse_number(text, &file))
        return text ? group_table_read(text) : "a file";
    return file > 2 && file <= INT_MAX && group_table_load((int)file) ? NULL : "a group's table";
}

enum action { ACTION_SERVE, ACTION_LIST, ACTION_END, ACTION_HELP, ACTION_VERSION, ACTION_WRONG };

static enum action bad_value(const char *option, const char *value, const char *good) {
    fprintf(stderr, "mpgpu-serve: bad value \"%s\" for %s: it takes %s\n", value ? value : "",
            option, good);
    return ACTION_WRONG;
}

/* Parses one option with its value, if it takes one.  Advances *at to the last argument read. */
static enum action parse_one(char **argv, int *at, struct options *o) {
    static const struct {
        const char *name;
        enum action action;
    } words[] = {{"--list", ACTION_LIST},
                 {"--end", ACTION_END},
                 {"--help", ACTION_HELP},
                 {"--version", ACTION_VERSION}};
    const char *word = argv[*at];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].name) == 0)
            return words[i].action;
    if (strcmp(word, "--foreground") == 0) {
        o->foreground = true;
        return ACTION_SERVE;
    }
    if (strcmp(word, SERVED_ON_DEMAND) == 0) {
        o->foreground = o->on_demand = true;
        return ACTION_SERVE;
    }
    const char *value = argv[++*at];
    if (strcmp(word, "--idle") == 0 || strcmp(word, "--close") == 0)
        return parse_number(value, word[2] == 'i' ? &o->idle : &o->close)
                   ? ACTION_SERVE
                   : bad_value(word, value, "seconds, 0 and more");
    if (strcmp(word, SERVED_OWNER) == 0) {
        o->foreground = o->on_demand = true;
        return serve_owner_set(value) ? ACTION_SERVE : bad_value(word, value, "PROCESS/NUMBER");
    }
    if (strcmp(word, "--group") == 0) {
        const char *wrong = parse_group(value);
        return wrong ? bad_value(word, value, wrong) : ACTION_SERVE;
    }
    fprintf(stderr, "mpgpu-serve: %s is not understood (mpgpu-serve --help)\n", word);
    return ACTION_WRONG;
}

static enum action parse(int argc, char **argv, struct options *o) {
    enum action action = ACTION_SERVE;
    for (int i = 1; i < argc && action == ACTION_SERVE; i++) {
        action = parse_one(argv, &i, o);
        if ((action == ACTION_LIST || action == ACTION_END) && argc > 2) {
            fprintf(stderr, "mpgpu-serve: %s stands alone: %s is too much\n", argv[i],
                    argv[i == 1 ? 2 : 1]);
            return ACTION_WRONG;
        }
    }
    return action;
}

static int carry_out(enum action action, const struct options *o) {
    switch (action) {
    case ACTION_LIST:
        return list();
    case ACTION_END:
        return end();
    case ACTION_HELP:
        usage();
        return 0;
    case ACTION_VERSION:
        printf("mpgpu-serve (mpgpu-gmp) %s\n", PACKAGE_VERSION);
        return 0;
    case ACTION_WRONG:
        return 2;
    default:
        if (o->on_demand) {
            serve_open_built_cpus();
            serve_socket_compare_visible();
        }
        return o->foreground ? serve(o, -1) : start(o);
    }
}

static bool is_first(int argc, char **argv, const char *option) {
    return argc > 1 && strcmp(argv[1], option) == 0;
}

int main(int argc, char **argv) {
    struct options o = {.idle = -1, .close = -1};
    umask(S_IRWXG | S_IRWXO); /* folders, files and the socket are for this user alone */
    if (is_first(argc, argv, GPU_BUILD_HELPER))
        return serve_on_demand_begin(true) ? gpu_help_building() : 1;
    bool is_private = is_first(argc, argv, SERVED_OWNER);
    if ((is_private || is_first(argc, argv, SERVED_ON_DEMAND)) &&
        !serve_on_demand_begin(is_private))
        return 1;
    serve_log_begin();
    conf_init();
    gpu_set_cache_dir(mpgpu_conf.cache);
    serve_log_level(mpgpu_conf.log);
    return output_end("mpgpu-serve", carry_out(parse(argc, argv, &o), &o), 1);
}
