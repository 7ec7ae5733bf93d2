/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests launches that go wrong without any error (tests/unit/fault/inject_backend.h). The program
 * must get GMP's result or an error; a wrong result without an error fails the test. For each
 * operation and kind of fault, the test injects one fault in each run, at a random launch. After
 * each fault, a run without faults must be right, too. A table shows how many faults had no effect,
 * were found, or lost a result. A fault is found if the session has counted it, or if GMP or
 * another algorithm has computed. A result is lost if the operation returns an error code.
 *
 * MPGPU_TEST_FAULTS is the number of faults for each operation and kind. MPGPU_TEST_SEED chooses
 * the random launches. MPGPU_TEST_OPERATION chooses one operation by its name, as --list prints it.
 * MPGPU_TEST_KIND chooses one kind of fault, or leaves one out (!constant). MPGPU_TEST_SECONDS
 * limits the time for an operation's faults. MPGPU_TEST_UNTIL is the time, in seconds since 1970,
 * at which the test stops to inject faults. The message about a wrong result has the fault's
 * number; MPGPU_TEST_FIRST is the number of the first fault. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/session/session.h"
#include "tests/support/devices.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/inject_backend.h"
#include "tests/unit/fault/inject_operations.h"

const struct gpu_backend *const gpu_backends[] = {&inject_backend, NULL};

#if WITH_CUDA
extern const struct gpu_backend cuda_backend;
#endif
#if WITH_OPENCL
extern const struct gpu_backend opencl_backend;
#endif
static const struct gpu_backend *const reals[] = {
#if WITH_CUDA
    &cuda_backend,
#endif
#if WITH_OPENCL
    &opencl_backend,
#endif
    NULL};

static const char options[] = "open:wait,watchdog:0,dispatch:fixed,mul:1,sqr:1,mulmod:1,add:1,"
                              "batch:1,verify:device,log:0";

enum {
    USUALLY = 1,
    USUALLY_OF_ANSWERS = 20,
    ALARM_SECONDS = 300,
    DEVICE_IS_LOST = 3,
    IS_USELESS = 4,
    FAULTS_OF_A_LIFE = 64,
    MOST_TRIES = 3, /* for each fault */
    MOST_IDLE = 4,  /* the test gives up after this many successive child processes that ended
                     * before their first fault */
    MOST_FORGIVEN = 1 << 20
};

/* The counts of one operation. They are in memory shared with the child process that injects the
 * faults. */
static struct progress {
    long begun[INJECT_KINDS]; /* the number of runs with a fault that have begun, for each kind */
    long counts[INJECT_KINDS][6];
    /* the number of launches and copies that can have a fault of the kind, for each operand set */
    long able[INJECT_KINDS][INJECT_SETS];
    time_t begin; /* the time at which the first device was ready; 0 before */
} * progress;
enum { NO_EFFECT, FOUND, LOST, SILENT, ENDED, NOT_MADE, OUTCOMES };

static const struct inject_operation *op;

/* Returns the usual number of faults to inject. It is larger for operations whose result is one
 * bit, such as mpz_perfect_square_p, since their runs are short. */
static long usual_faults(void) {
    static const char *const answers[] = {"root", "square", "divisible"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(op->name, answers[i]) == 0)
            return USUALLY_OF_ANSWERS;
    return USUALLY;
}

static struct {
    unsigned char *bytes;
    size_t length;
} right[INJECT_SETS];

/* Computes the right results by GMP. */
static void prepare(void) {
    inject_is_absent = true;
    session_anew();
    for (unsigned set = 0; set < INJECT_SETS; set++) {
        written_begin();
        op->call(set);
        right[set].bytes = written_copy(&right[set].length);
        ck_assert_msg(right[set].bytes, "%s: no right result", op->name);
    }
    session_put_down();
    inject_is_absent = false;
}

/* Runs the operation once. Returns LOST if its result was lost, SILENT if it was wrong without an
 * error, FOUND if it was right although a fault was found, otherwise NO_EFFECT. */
static int run(unsigned set) {
    int faults = session_faults();
    unsigned long sent = call_sent();
    written_begin();
    op->call(set);
    bool has_jobs, is_on_device = written_on_device(&has_jobs);
    bool is_found = session_faults() > faults || !is_on_device ||
                    (!has_jobs && call_sent() == sent) || stats_here()->recomputed > 0;
    return written_is_lost()                                  ? LOST
           : !written_is(right[set].bytes, right[set].length) ? SILENT
           : is_found                                         ? FOUND
                                                              : NO_EFFECT;
}

/* Opens a device and runs the operation without faults, once with each operand set. If a run does
 * not end on the device, the reason may be another process that uses the device: then this child
 * process ends. The parent tries again, up to MOST_IDLE times in succession. */
static void begin_life(void) {
    session_put_down();
    session_anew();
    if (session_wait() != OUTCOME_DONE)
        _exit(DEVICE_IS_LOST);
    for (unsigned set = 0; set < INJECT_SETS; set++) {
        inject_learn(set);
        int outcome = run(set);
        inject_end();
        ck_assert_msg(outcome != SILENT, "%s: wrong without a fault", op->name);
        if (outcome != NO_EFFECT) {
            printf("%s: outcome %d without a fault\n", op->name, outcome);
            fflush(stdout);
            _exit(DEVICE_IS_LOST);
        }
        for (int kind = 0; kind < INJECT_KINDS; kind++)
            progress->able[kind][set] = inject_learned((enum inject_kind)kind);
        if (progress->able[INJECT_LOST][set] == 0)
            _exit(IS_USELESS);
    }
    if (progress->begin == 0)
        progress->begin = time(NULL);
}

static uint64_t seed_of(int kind, long fault) {
    static uint64_t seed;
    if (seed == 0)
        seed = testing_option("MPGPU_TEST_SEED", 20261127);
    uint64_t all = seed ^ (uint64_t)fault << 8 ^ (uint64_t)kind << 40;
    for (const char *c = op->name; *c; c++)
        all = all * 31 + (unsigned char)*c;
    return inject_random(&all);
}

/* Runs the operation with a fault at a random launch. Returns the outcome. Sets *count to the
 * number of launches and copies that could have had the fault. */
static int run_with(int kind, long fault, unsigned set, long *count) {
    uint64_t seed = seed_of(kind, fault);
    const long able = progress->able[kind][set];
    long event = able > 0 ? 1 + (long)(inject_random(&seed) % (uint64_t)able) : 0;
    if (kind == INJECT_LOST_ON && fault % 4 == 0)
        event = 1; /* all are lost */
    inject_after_checks = op->covers == TRANSFERS;
    inject_begin((enum inject_kind)kind, set, event, seed);
    int outcome = run(set);
    *count = inject_end();
    return outcome != SILENT && !inject_is_done() ? NOT_MADE : outcome;
}

/* Injects one fault, runs the operation again without a fault, and counts the outcome. Returns
 * false if the device must be opened again: the fault has damaged data that stay on the device, or
 * the run had fewer launches than before. */
static bool make(int kind, long fault) {
    unsigned set = (unsigned)(fault % INJECT_SETS);
    long count;
    int outcome = run_with(kind, fault, set, &count), later = run((set + 1) % INJECT_SETS);
    if (outcome == SILENT || later == SILENT) {
        printf("%s: SILENT: %s, fault %ld of this kind%s: %s\n", op->name, inject_names[kind],
               fault, outcome == SILENT ? "" : ", in the run after it", inject_text());
        fflush(stdout);
        outcome = SILENT;
    } else if (outcome == NO_EFFECT)
        outcome = later;
    progress->counts[kind][outcome]++;
    return later == NO_EFFECT && (outcome != NOT_MADE || count >= progress->able[kind][set]);
}

/* Returns true if faults of this kind are wanted. Uploads and downloads are made wrong only if the
 * operation's check covers them. */
static bool is_wanted_kind(int kind) {
    const char *only = getenv("MPGPU_TEST_KIND");
    if ((kind >= INJECT_UPLOAD_BIT && op->covers == NO_TRANSFERS) ||
        (kind >= INJECT_DOWNLOAD_BIT && op->covers == UPLOADS))
        return false;
    return !only || (only[0] == '!' ? strcmp(only + 1, inject_names[kind]) != 0
                                    : strcmp(only, inject_names[kind]) == 0);
}

/* Prepares a device for the next fault. Opening a device takes longer than a run with a fault, so
 * the device of the previous fault is used again if possible. For seven of eight faults, raises the
 * limit of faults, so that the library does not close the device. */
static void next_life(bool is_usable) {
    static unsigned faults;
    if (!is_usable || faults++ % FAULTS_OF_A_LIFE == 0 || session_wait() != OUTCOME_DONE)
        begin_life();
    session_forgive(faults % 8 == 1 ? 0 : MOST_FORGIVEN);
}

/* Returns true if MPGPU_TEST_UNTIL, a time in seconds, has passed. */
static bool is_over(void) {
    const unsigned long until = testing_option("MPGPU_TEST_UNTIL", 0);
    return until > 0 && time(NULL) >= (time_t)until;
}

/* Returns true if enough faults of this kind were injected, or if the time for them is over. */
static bool is_enough(int kind, long wanted) {
    const unsigned long seconds = testing_option("MPGPU_TEST_SECONDS", 0);
    if (is_over() ||
        (seconds > 0 && progress->begin > 0 && time(NULL) - progress->begin >= (time_t)seconds))
        return true;
    return progress->begun[kind] - progress->counts[kind][NOT_MADE] >= wanted ||
           progress->begun[kind] >= MOST_TRIES * wanted;
}

/* Returns true if some operand set has launches or copies that can have a fault of this kind, or
 * if that is not known yet. */
static bool is_possible(int kind) {
    for (unsigned set = 0; set < INJECT_SETS; set++)
        if (progress->able[kind][set] > 0)
            return true;
    return progress->begin == 0;
}

/* Returns the seconds after which an alarm ends a run with a fault. The first run may also have to
 * build kernels, so it gets more time. */
static unsigned alarm_seconds(void) {
    const unsigned long until = testing_option("MPGPU_TEST_UNTIL", 0);
    const unsigned most = progress->begin == 0 ? ALARM_SECONDS : ALARM_SECONDS / 15;
    const time_t left = (time_t)until - time(NULL);
    return until == 0 || left >= (time_t)most ? most : left < 1 ? 1 : (unsigned)left;
}

/* Runs in a child process. Injects all faults that the previous child processes have not injected.
 * Alternates the kinds of faults, because the time may be too short for all. */
static void make_all(const struct gpu_backend *real) {
    long first = (long)testing_option("MPGPU_TEST_FIRST", 0);
    long wanted = (long)testing_option("MPGPU_TEST_FAULTS", (unsigned long)usual_faults());
    bool is_usable = false;
    /* restores the default action, because Check's handler of this signal would also kill the
     * parent */
    signal(SIGALRM, SIG_DFL);
    setenv("MPGPU_CONF", options, 1);
    inject_use(real);
    call_init();
    prepare();
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (int kind = 0; kind < INJECT_KINDS; kind++)
            if (is_wanted_kind(kind) && is_possible(kind) && !is_enough(kind, wanted)) {
                alarm(alarm_seconds());
                next_life(is_usable);
                is_usable = make(kind, first + progress->begun[kind]++);
                is_done = false;
            }
    }
}

static long counted(int kind) {
    long all = 0;
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        all += progress->counts[kind][outcome];
    return all;
}

/* If the child process has ended during a fault, counts the fault as ENDED and returns true. The
 * child can end because faulty kernels run inside it. Returns false if the child has ended without
 * a fault. */
static bool count_end(void) {
    for (int kind = 0; kind < INJECT_KINDS; kind++)
        if (counted(kind) < progress->begun[kind]) {
            if (is_over()) /* the child was ended by the alarm, not by the fault */
                progress->begun[kind]--;
            else
                progress->counts[kind][ENDED]++;
            return true;
        }
    return false;
}

static long all_begun(void) {
    long all = 0;
    for (int kind = 0; kind < INJECT_KINDS; kind++)
        all += progress->begun[kind];
    return all;
}

/* Injects the operation's faults in child processes, one after another. Returns false if the
 * operation does not use the device. */
static bool make_in_children(const struct gpu_backend *real) {
    int status;
    memset(progress, 0, sizeof *progress);
    for (int idle = 0; idle < MOST_IDLE;) {
        long before = all_begun();
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            make_all(real);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) != DEVICE_IS_LOST)
            break;
        idle = count_end() || all_begun() > before ? 0 : idle + 1;
        /* a GPU may need some time after a fault before it can be opened again */
        usleep(idle * 200000);
        if (is_over())
            return progress->begin > 0;
    }
    ck_assert_msg(WIFEXITED(status) &&
                      (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == IS_USELESS),
                  "%s: a child has ended with %x", op->name, status);
    return WEXITSTATUS(status) == 0;
}

static long print(void) {
    long silent = 0;
    for (int kind = 0; kind < INJECT_KINDS; kind++) {
        const long *c = progress->counts[kind];
        if (progress->begun[kind] > 0)
            printf("%-24s %8ld %-13s %8ld %9ld %7ld %6ld %6ld %7ld\n", op->name,
                   progress->able[INJECT_LOST][0], inject_names[kind],
                   progress->begun[kind] - c[NOT_MADE], c[NO_EFFECT], c[FOUND], c[LOST], c[ENDED],
                   c[SILENT]);
        silent += op->is_unchecked ? 0 : c[SILENT];
    }
    fflush(stdout);
    return silent;
}

static const struct inject_operation *const lists[] = {inject_products, inject_composites,
                                                       inject_batches, inject_jobs};
enum { LISTS = sizeof lists / sizeof *lists };

/* Injects the faults of each operation in the list. Returns how many results were wrong without an
 * error. */
static long make_each(const struct gpu_backend *real, const struct inject_operation *list) {
    const char *only = getenv("MPGPU_TEST_OPERATION");
    long silent = 0;
    for (op = list; op->name; op++)
        if (!only || strcmp(only, op->name) == 0) {
            if (make_in_children(real))
                silent += print();
            else
                printf("%-24s no launches\n", op->name);
        }
    return silent;
}

/* Prints the name of each operation, once for each kind of fault that is injected into it. */
static void print_names(void) {
    for (int i = 0; i < LISTS; i++)
        for (op = lists[i]; op->name; op++)
            for (int kind = 0; kind < INJECT_KINDS; kind++)
                if (is_wanted_kind(kind))
                    printf("%s %s\n", op->name, inject_names[kind]);
}

START_TEST(no_fault_is_silent) {
    const struct gpu_backend *real = reals[_i];
    if (devices_of(real) == 0) {
        testing_skip("%s: no device", real->name);
        return;
    }
    printf("%s\n%-24s %8s %-13s %8s %9s %7s %6s %6s %7s\n", real->name, "operation", "launches",
           "kind", "injected", "no effect", "found", "lost", "ended", "silent");
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(progress, MAP_FAILED);
    long silent = 0;
    for (int i = 0; i < LISTS; i++)
        silent += make_each(real, lists[i]);
    ck_assert_msg(silent == 0, "%ld wrong results were not noticed", silent);
}
END_TEST

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        print_names();
        return 0;
    }
    setenv("POCL_DEVICES", "basic", 0);
    return testing_main("inject", 0,
                        TESTS(LOOP(no_fault_is_silent, sizeof reals / sizeof *reals - 1)));
}
