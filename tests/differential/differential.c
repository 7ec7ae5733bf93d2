/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The differential test: compares every intercepted function with GMP's own function.  It is a
 * plain GMP program, which either runs under mpgpu-run or is linked with the library.  It sets the
 * thresholds of mul, sqr, mulmod and add to 0 and waits for the device, unless MPGPU_CONF contains
 * other options.  Exit status: 0 good, 1 a mismatch or other failure, 2 bad arguments or no
 * library, 77 no device or no second libgmp. */
#define _GNU_SOURCE 1
#include "tests/differential/differential.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/checked_memory.h"

enum { MOST_THREADS = 64 };

static unsigned long count = 1000, most = 3000, least = 1, seed, threads = 1, sent_percent = 90,
                     check_memory, seconds, again;
static const char *backend = "auto", *function;

static const struct {
    const char *name;
    unsigned long *value;
    const char *help;
} options[] = {
    {"--count", &count, "operations of each thread (1000)"},
    {"--max-limbs", &most, "most limbs of the longer operand (3000)"},
    {"--min-limbs", &least, "least limbs of the longer operand (1)"},
    {"--seconds", &seconds, "how long to go on, instead of --count"},
    {"--again", &again, "operations after which the same ones come again (0: never)"},
    {"--seed", &seed, "of the random numbers (the time)"},
    {"--threads", &threads, "threads that do this at once (1)"},
    {"--sent", &sent_percent,
     "percentage of operations that a device has to compute (90);\n"
     "                 0 runs without a device, too"},
    {"--memory", &check_memory, "1: with memory functions that check what is done with blocks (0)"},
};
enum { OPTIONS = sizeof options / sizeof *options };

static void usage(void) {
    puts("Usage: differential [--backend auto|cuda|opencl|none] [--function NAME,...]\n"
         "       [OPTION NUMBER]... | --list");
    for (int i = 0; i < OPTIONS; i++)
        printf("  %-14s %s\n", options[i].name, options[i].help);
}

static int parse_number(const char *text, unsigned long *value) {
    char *end;
    *value = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end;
}

static int parse_option(const char *name, const char *text) {
    if (strcmp(name, "--backend") == 0) {
        backend = text;
        return 1;
    }
    if (strcmp(name, "--function") == 0) {
        function = text;
        return differential_count(function, 0) > 0;
    }
    for (int i = 0; i < OPTIONS; i++) {
        if (strcmp(name, options[i].name) == 0)
            return parse_number(text, options[i].value);
    }
    return 0;
}

static void parse_arguments(int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            usage();
            exit(0);
        }
        if (strcmp(argv[i], "--list") == 0) {
            differential_count(NULL, 1);
            exit(0);
        }
        if (i + 1 == argc || !parse_option(argv[i], argv[i + 1])) {
            fprintf(stderr, "differential: bad argument %s; --help tells more\n", argv[i]);
            exit(2);
        }
    }
    if (!least || least > most || !threads || threads > MOST_THREADS) {
        fputs("differential: bad range\n", stderr);
        exit(2);
    }
}

/* Adds the test's options to MPGPU_CONF.  Call it before the first call of GMP, at which the
 * library reads the variable. */
static void configure(void) {
    char conf[4096];
    const char *given = getenv("MPGPU_CONF");
    snprintf(conf, sizeof conf, DIFFERENTIAL_CONF "backend:%s,%s", backend, given ? given : "");
    setenv("MPGPU_CONF", conf, 1);
}

/* Returns mpgpu_sent(), the number of calls sent to the device; 0 without the library.  Looks the
 * function up, because a plain GMP program is not linked with the library. */
static unsigned long sent(void) {
    unsigned long (*function)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT, "mpgpu_sent");
    return function ? function() : 0;
}

static int wait_for_device(void) {
    int (*function)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "mpgpu_wait");
    if (!function) {
        fputs("differential: libmpgpu-gmp is not in front of GMP\n", stderr);
        exit(2);
    }
    return function();
}

static struct run runs[MOST_THREADS];
static int failed[MOST_THREADS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double start;

static int goes_on(unsigned long done) {
    return seconds ? now() < start + (double)seconds : done < count;
}

static void *work(void *argument) {
    struct run *run = argument;
    const uint64_t random = run->random;
    int good = 1;
    for (unsigned long i = 0; good && goes_on(i); i++) {
        if (again && i % again == 0)
            run->random = random;
        good = differential_run(run, function);
    }
    failed[run - runs] = !good;
    return NULL;
}

static void run_threads(const struct reference *reference) {
    pthread_t thread[MOST_THREADS];
    start = now();
    for (unsigned long i = 0; i < threads; i++) {
        runs[i] = (struct run){reference, seed ^ i << 32, least, most, 0, NULL, NULL};
        if (pthread_create(&thread[i], NULL, work, &runs[i]) != 0) {
            fputs("differential: no thread\n", stderr);
            exit(1);
        }
    }
    for (unsigned long i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

/* The exit status. */
static int verdict(void) {
    unsigned long eligible = 0, device = sent();
    int bad = 0;
    for (unsigned long i = 0; i < threads; i++) {
        eligible += runs[i].eligible;
        bad |= failed[i];
    }
    printf("%lu calls computed by the device, %lu eligible operations, %.0f a second; %s\n", device,
           eligible, (double)device / (now() - start), bad ? "MISMATCH" : "all results GMP's");
    if (check_memory && (!checked_memory_made() || checked_memory_left())) {
        fprintf(stderr, "differential: %lu of %lu blocks of memory were not freed\n",
                checked_memory_left(), checked_memory_made());
        bad = 1;
    }
    if (device * 100 < eligible * sent_percent) {
        fprintf(stderr, "differential: %lu %% should have been\n", sent_percent);
        bad = 1;
    }
    return bad;
}

int main(int argc, char **argv) {
    struct reference reference;
    seed = (unsigned long)time(NULL);
    parse_arguments(argc, argv);
    configure();
    int device = wait_for_device();
    if (!device && sent_percent) {
        const char *required = getenv("MPGPU_TEST_REQUIRE_DEVICE");
        const int must_be = required && strstr(required, backend);
        printf("%s: no device (backend %s)\n", must_be ? "FAILED" : "skipped", backend);
        return must_be ? 1 : 77;
    }
    if (!reference_load(&reference)) {
        printf("skipped: no libgmp.so.10 for reference: %s\n", dlerror());
        return 77;
    }
    printf(
        "differential --backend %s%s%s --count %lu --min-limbs %lu --max-limbs %lu --threads %lu "
        "--memory %lu --seed %lu\n",
        backend, function ? " --function " : "", function ? function : "", count, least, most,
        threads, check_memory, seed);
    fflush(stdout);
    if (check_memory)
        checked_memory_begin();
    run_threads(&reference);
    return verdict();
}
