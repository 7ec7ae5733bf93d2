/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A member of a server group that sends invalid messages to another member. Exits with 0 if the
 * other member refuses each of them in time, and computes a valid job afterwards.
 * Usage: roguemember FILE RANK SEED COUNT: FILE describes the group, RANK is the other member. */
#include "config.h"

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/error.h"
#include "lib/process/event.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_net.h"
#include "tools/serve/group/group_wire.h"

enum { LIMBS = 3000, SECONDS = 10, WORD = sizeof(uint64_t), HEAD_WORDS = sizeof(struct job) / 8 };
#define PATIENCE_NS INT64_C(20000000000)
#define UNANSWERED_NS INT64_C(500000000)

/* How a message is changed before it is sent. */
enum kind { GOOD, TRUNCATED, SHORTER, RANDOM, MUTATED, HUGE_SIZES, EMPTY, KINDS };
static enum kind kind;
static uint64_t state;

static uint64_t next(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 16;
}

static void fill(unsigned char *byte, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        byte[i] = (unsigned char)next();
}

static void set_word(unsigned char *payload, uint64_t value) {
    memcpy(payload + next() % HEAD_WORDS * WORD, &value, WORD);
}

static size_t spoil(unsigned char *payload, size_t bytes) {
    switch (kind) {
    case TRUNCATED:
        return next() % bytes;
    case SHORTER:
        return bytes - WORD * (1 + next() % 4);
    case RANDOM:
        fill(payload, bytes);
        return bytes;
    case MUTATED:
        set_word(payload, next() % 5);
        set_word(payload, next() >> next() % 48);
        return bytes;
    case HUGE_SIZES:
        set_word(payload, UINT64_MAX >> next() % 40);
        return bytes;
    case EMPTY:
        return 0;
    default:
        return bytes;
    }
}

void *__real_group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                            void *of);
void *__wrap_group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                            void *of);
void *__wrap_group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                            void *of) {
    *bytes = spoil(payload, *bytes);
    return __real_group_net_call(link, payload, bytes, goes_on, of);
}

/* Sends a random product to the other member. Returns the job's outcome, or -1 if the product is
 * wrong. */
static int multiply(uint64_t link) {
    static mp_limb_t u[LIMBS], v[LIMBS], r[2 * LIMBS], right[2 * LIMBS];
    const char *fault;
    fill((unsigned char *)u, sizeof u);
    fill((unsigned char *)v, sizeof v);
    struct job job = {.op = JOB_mul,
                      .operands = 2,
                      .results = 1,
                      .u = {job_limbs(u, LIMBS), job_limbs(v, LIMBS)},
                      .r = {job_limbs(r, 2 * LIMBS)}};
    mpn_mul_n(right, u, v, LIMBS);
    enum outcome outcome = group_job_run(link, 0, &job, &fault);
    return outcome == OUTCOME_DONE && memcmp(r, right, sizeof r) != 0 ? -1 : (int)outcome;
}

static bool goes_on(void *end) {
    return event_clock() < *(const int64_t *)end;
}

static int join(const char *rank, struct group_hello *hello, struct group_welcome *w) {
    *hello = (struct group_hello){.token = {next(), next()}};
    int file = group_wire_call((uint32_t)atoi(rank), hello, w, SECONDS);
    return file >= 0 && w->status != GPU_OK ? -1 : file;
}

/* Joins the group again with a valid token, then sends a message with a wrong token. Returns true
 * if the member answers, or does not let it join. */
static bool is_answered(const char *rank) {
    static struct group_welcome w;
    struct group_hello hello;
    int file = join(rank, &hello, &w);
    hello.token[0]++;
    uint64_t link = group_net_open(&w.address, hello.token);
    size_t bytes = sizeof(struct job);
    int64_t end = event_clock() + UNANSWERED_NS;
    void *answer = __real_group_net_call(link, calloc(1, bytes), &bytes, goes_on, &end);
    group_net_close(link);
    close(file);
    free(answer);
    return file < 0 || answer != NULL;
}

static int fail(const char *what) {
    fprintf(stderr, "roguemember: message of kind %d: %s\n", kind, what);
    return 1;
}

int main(int argc, char **argv) {
    static struct group_welcome w;
    struct group_hello hello;
    if (argc != 5 || group_table_read(argv[1]) || !group_net_begin(false))
        return fail("usage: roguemember FILE RANK SEED COUNT");
    state = strtoull(argv[3], NULL, 10);
    if (join(argv[2], &hello, &w) < 0)
        return fail(gpu_error_text());
    uint64_t link = group_net_open(&w.address, hello.token);
    if (multiply(link) != OUTCOME_DONE)
        return fail("no product");
    for (int i = 0; i < atoi(argv[4]); i++) {
        kind = (enum kind)(TRUNCATED + i % (KINDS - TRUNCATED));
        int64_t begun = event_clock();
        int outcome = multiply(link);
        if (outcome == -1 && kind != MUTATED) /* a mutated message may be another valid job,
                                                 whose result is right */
            return fail("a wrong product");
        if (outcome == OUTCOME_DONE && kind != MUTATED && kind != HUGE_SIZES)
            return fail("it was computed");
        if (event_clock() - begun > PATIENCE_NS)
            return fail("no answer");
        if (!group_net_is_open(link))
            return fail("the link is broken");
    }
    if (is_answered(argv[2]))
        return fail("a message without the token was answered");
    kind = GOOD;
    return multiply(link) == OUTCOME_DONE ? 0 : fail("no product afterwards");
}
