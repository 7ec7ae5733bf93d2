/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a fuzz target without libFuzzer: first once on each file, then on random changes of these
 * files or on random bytes. Coverage does not guide the changes.
 * Usage: fuzz_NAME [--runs N] [--seed N] [--seconds N] [FILE]... */
#include "tests/fuzz/fuzz.h"

#ifndef LIBFUZZER

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 2048, MOST_FILES = 64, MOST_CHANGES = 6 };

static struct input {
    uint8_t bytes[MOST_BYTES];
    size_t size;
} files[MOST_FILES], now;
static int file_count;

static unsigned long runs = 1000, seed, seconds;
static uint64_t state;

static uint64_t bits(void) {
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static size_t below(size_t n) {
    return (size_t)(bits() % n);
}

/* Signal handler: writes the input that stopped the target to a file, so that the failure can be
 * repeated. */
static void keep_input(int signal) {
    FILE *file = fopen("fuzz-failure", "w");
    if (file && fwrite(now.bytes, 1, now.size, file) == now.size && fclose(file) == 0) {
        static const char message[] = "the input is in ./fuzz-failure\n";
        ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
        (void)written;
    }
    raise(signal); /* SA_RESETHAND has restored the default action, so this ends the process */
}

static void make_up(void) {
    now.size = 1 + below(MOST_BYTES >> below(8));
    for (size_t i = 0; i < now.size; i++)
        now.bytes[i] = (uint8_t)(bits() >> below(8));
}

/* Inserts a random byte at position `at` of the input, unless the input is full. */
static void insert(size_t at) {
    if (now.size == MOST_BYTES)
        return;
    memmove(now.bytes + at + 1, now.bytes + at, now.size++ - at);
    now.bytes[at] = (uint8_t)bits();
}

static void drop(size_t at) {
    size_t count = 1 + below(now.size - at);
    now.size -= count;
    memmove(now.bytes + at, now.bytes + at + count, now.size - at);
}

/* Overwrites the input, beginning at position `at`, with the tail of a randomly chosen file. */
static void splice(size_t at) {
    const struct input *other = &files[below((size_t)file_count)];
    size_t from = below(other->size + 1), count = other->size - from;
    if (count > MOST_BYTES - at)
        count = MOST_BYTES - at;
    memcpy(now.bytes + at, other->bytes + from, count);
    if (now.size < at + count)
        now.size = at + count;
}

static void change(void) {
    if (now.size == 0) {
        insert(0);
        return;
    }
    size_t at = below(now.size);
    switch (below(6)) {
    case 0:
        insert(at);
        break;
    case 1:
        drop(at);
        break;
    case 2:
        splice(at);
        break;
    case 3:
        now.bytes[at] ^= (uint8_t)(1 << below(8));
        break;
    case 4:
        now.bytes[at] = now.bytes[below(now.size)];
        break;
    default:
        now.bytes[at] = (uint8_t)bits();
    }
}

static void run_random(void) {
    if (file_count == 0 || below(8) == 0)
        make_up();
    else {
        now = files[below((size_t)file_count)];
        for (size_t k = 1 + below(MOST_CHANGES); k > 0; k--)
            change();
    }
    LLVMFuzzerTestOneInput(now.bytes, now.size);
}

static void run_file(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    now.size = fread(now.bytes, 1, MOST_BYTES, file);
    fclose(file);
    if (file_count < MOST_FILES)
        files[file_count++] = now;
    LLVMFuzzerTestOneInput(now.bytes, now.size);
}

static int parse_option(const char *name, const char *value) {
    unsigned long *option = strcmp(name, "--runs") == 0      ? &runs
                            : strcmp(name, "--seed") == 0    ? &seed
                            : strcmp(name, "--seconds") == 0 ? &seconds
                                                             : NULL;
    if (!option || !value || *value < '0' || *value > '9')
        return 0;
    *option = strtoul(value, NULL, 0);
    return 1;
}

static void parse_arguments(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            run_file(argv[i]);
        else if (!parse_option(argv[i], argv[i + 1]) || !++i) {
            fprintf(stderr, "Usage: %s [--runs N] [--seed N] [--seconds N] [FILE]...\n", argv[0]);
            exit(2);
        }
    }
}

int main(int argc, char **argv) {
    static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action = {.sa_handler = keep_input, .sa_flags = (int)SA_RESETHAND};
    LLVMFuzzerInitialize(&argc, &argv);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
    parse_arguments(argc, argv);
    unsigned long done = 0;
    time_t end = time(NULL) + (time_t)seconds;
    state = seed;
    for (; seconds ? time(NULL) < end : done < runs; done++)
        run_random();
    printf("%d files and %lu runs with seed %lu: nothing wrong\n", file_count, done, seed);
    return 0;
}

#endif
