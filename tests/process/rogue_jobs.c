/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Clients of mpgpu-serve with invalid jobs. Each child process runs operations as any program does;
 * the jobs are changed before the server gets them, or while it computes. Exits with 0 if the
 * server answers each child, or disconnects it, in time. A child of kind `counted` sends valid jobs
 * and checks which requests were sent.
 *
 * Usage: rogue_jobs BACKEND SEED COUNT [KIND]: COUNT children of that kind. Without KIND, of all
 * kinds but `bereaved` and `counted`. */
#include "tests/support/testing.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/served/served_channel.h"
#include "gpu/served/served_socket.h"
#include "lib/base/conf.h"
#include "lib/job/batch_store.h"
#include "lib/job/far_job.h"
#include "lib/session/session_device.h"
#include "tests/support/composite_cases.h"
#include "tests/support/job_cases.h"

enum {
    PATIENCE = 120 /* seconds after which a child is killed */,
    JOBS = 12,
    SLOW_JOBS = 2,
    COUNTED_OPERATIONS = 5, /* how many entries of run_some's list a `counted` child runs */
    MOST_LIMBS = 400,
    LONG_LIMBS = 1 << 18,
    STOPPED = 3,
    NAP_NS = 20000
};

/* The kinds of children: each changes its jobs in another way. */
#define KINDS(KIND)                                                                                \
    KIND(mutated)   /* random words of the request are changed */                                  \
    KIND(places)    /* the addresses of operands and results are changed */                        \
    KIND(tables)    /* words of operands, results and tables in shared memory are changed */       \
    KIND(garbled)   /* the whole request is random */                                              \
    KIND(truncated) /* the end of the request is zeros */                                          \
    KIND(replayed)  /* an earlier request is sent again */                                         \
    KIND(moved)     /* the request names a wrong address of its shared block */                    \
    KIND(scribbled) /* a thread writes the shared block during the job */                          \
    KIND(released)  /* a thread frees memory that the running job uses */                          \
    KIND(refused)   /* the client refuses the server's requests for a copy or a residue */         \
    KIND(silent)    /* the client does not answer the server's requests for a copy or a residue */ \
    KIND(stopped)   /* the process is stopped when the server requests a copy or a residue */      \
    KIND(killed)    /* the process is killed when the server requests a copy or a residue */       \
    KIND(bereaved)  /* the server is killed; results that it has sent before must be right */      \
    KIND(counted)   /* nothing is changed; requests are counted */
#define KIND(name) name,
enum kind { KINDS(KIND) KIND_COUNT };
enum { ALL_KINDS = bereaved }; /* children of the kinds before `bereaved` share one server */
#undef KIND
#define KIND(name) #name,
static const char *const names[] = {KINDS(KIND)};
#undef KIND

static enum kind kind;
static struct far_request before; /* the last request */
static bool has_before;

/* ---- random words */

/* Returns random bits. Unlike testing_below it may be called by several threads. */
static uint64_t bits(void) {
    static _Atomic uint64_t state;
    static atomic_bool is_seeded;
    if (!atomic_exchange(&is_seeded, true))
        atomic_store(&state, testing_below(UINT32_MAX));
    uint64_t x = atomic_fetch_add(&state, 0x9e3779b97f4a7c15u);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t some_word(uint64_t old) {
    switch (bits() % 8) {
    case 0:
        return bits() % 8;
    case 1:
        return ~(bits() % 4096);
    case 2:
        return bits() >> bits() % 64;
    case 3:
        return old ^ UINT64_C(1) << bits() % 64;
    case 4:
        return old + bits() % 16;
    case 5:
        return old - bits() % 16;
    case 6:
        return old << bits() % 8;
    default:
        return old >> bits() % 8;
    }
}

static uint64_t some_place(uint64_t old) {
    switch (bits() % 8) {
    case 0:
        return far_in_region(bits() % FAR_MOST_REGIONS, bits() % SERVED_HOST_BYTES);
    case 1:
        return far_in_region(0, SERVED_HOST_BYTES - bits() % 4096);
    case 2:
        return FAR_BIT | bits() >> 8;
    case 3:
        return UINT64_MAX >> 1;
    case 4:
        return bits() >> 17;
    case 5:
        return old + 1;
    case 6:
        return 0;
    default:
        return some_word(old);
    }
}

/* Changes up to `most` random words of {p, bytes}. */
static void mutate(void *p, size_t bytes, unsigned most) {
    for (unsigned i = 1 + (unsigned)(bits() % most); i > 0; i--) {
        unsigned char *at = (unsigned char *)p + bits() % (bytes / 8) * 8;
        uint64_t word;
        memcpy(&word, at, sizeof word);
        word = some_word(word);
        memcpy(at, &word, sizeof word);
    }
}

static void mutate_places(struct job *job) {
    for (unsigned i = 1 + (unsigned)(bits() % 3); i > 0; i--) {
        const unsigned k = (unsigned)(bits() % 4);
        struct job_ref *x = bits() % 2 ? &job->u[k] : &job->r[k % JOB_RESULTS];
        if (bits() % 4)
            x->host = (uint64_t *)(uintptr_t)some_place((uintptr_t)x->host);
        else
            x->mem.h = bits() % 2 ? bits() % 64 : some_word(x->mem.h);
    }
}

static void garble(struct far_request *q) {
    mutate(q, sizeof *q, 400);
    q->job.op = (enum job_op)(bits() % (JOB_OPS + 1));
    q->job.operands = (unsigned)(bits() % (JOB_OPERANDS + 2));
    q->job.results = (unsigned)(bits() % (JOB_RESULTS + 2));
}

/* ---- changes while the job runs */

struct meddling {
    struct far_block *block;
    enum gpu_served (*serve)(void *of, int64_t ns);
    void *of;
    unsigned upcalls; /* how many requests of the server are answered before the bad answer */
    atomic_bool is_over;
};

/* Overwrites a part of the job's shared block. */
static void scribble(struct far_block *b, unsigned part) {
    switch (part) {
    case 0:
        atomic_store(&b->granted, (unsigned)some_word(atomic_load(&b->asked)));
        break;
    case 1:
        b->value = bits();
        b->is_refused = bits() % 64 == 0;
        break;
    case 2:
        atomic_store(&b->mark[bits() % STAGING_MARKS], bits() % 256 * LEAST_CHUNK + 1);
        break;
    case 3:
        atomic_store(&b->progress.next, bits() % 64);
        atomic_store(&b->progress.open, some_word(atomic_load(&b->progress.open)));
        atomic_store(&b->progress.is_over, bits() % 4096 == 0);
        break;
    case 4:
        mutate(b->request, sizeof b->request, 4);
        break;
    case 5:
        mutate(b->buffer, sizeof b->buffer, 4);
        break;
    case 6:
        mutate(b->room, 1 << 16, 4);
        break;
    default:
        mutate(&b->upcall, sizeof b->upcall, 1);
    }
}

/* Frees device memory that the running job may use, by a job in another channel. */
static void free_some(void) {
    static void *block;
    const struct gpu_device *dev = &session_device_first(session_device(0))->dev;
    uint64_t region, offset;
    if (!block && dev->backend->host_alloc(dev->impl, sizeof(struct far_block), &block) != GPU_OK)
        return;
    *far_request_of(block) =
        (struct far_request){.job = {.op = JOB_store_free,
                                     .operands = 1,
                                     .u = {{.mem = {1 + bits() % 8}, .count = 1, .n = 1}}}};
    if (dev->backend->locate(block, 1, &region, &offset)) {
        const struct served_request request = {.op = SERVED_JOB, .a = {offset, 0}};
        served_call(&request, NULL);
    }
}

static void release_some(void) {
    const struct served_request request = {.op = bits() % 2 ? SERVED_UNLOCK : SERVED_DROP,
                                           .a = {1 + bits() % 8}};
    if (bits() % 32)
        free_some();
    else
        served_call(&request, NULL);
}

static void *meddle(void *of) {
    struct meddling *m = of;
    const unsigned part = (unsigned)(bits() % 8);
    while (!atomic_load(&m->is_over)) {
        if (kind == scribbled)
            scribble(m->block, part);
        else
            release_some();
        for (uint64_t i = bits() % 2000; i > 0; i--)
            __asm__ volatile("");
    }
    return NULL;
}

/* Kills the server, possibly while threads of this process are about to copy. */
static void kill_server(void) {
    const struct served_shared *s = served_memory();
    if (s)
        kill((pid_t)s->process, SIGKILL);
}

static void answer_badly(struct far_block *b, int64_t ns) {
    const unsigned asked = atomic_load(&b->asked);
    if (kind == stopped)
        raise(SIGSTOP);
    if (kind == killed)
        raise(SIGKILL);
    if (kind == refused && b->upcall.kind != FAR_END) {
        b->is_refused = 1;
        atomic_store(&b->granted, asked);
    }
    nanosleep(&(struct timespec){.tv_nsec = kind == refused ? 1000000 : ns}, NULL);
}

/* Returns true if the server requests a copy or a residue from its client within `ns`
 * nanoseconds. */
static bool await_upcall(const struct far_block *b, int64_t ns) {
    for (; ns > 0 && atomic_load(&b->asked) == atomic_load(&b->granted); ns -= NAP_NS)
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    return atomic_load(&b->asked) != atomic_load(&b->granted);
}

static enum gpu_served serve_badly(void *of, int64_t ns) {
    struct meddling *m = of;
    const bool is_asked = kind >= refused && kind <= bereaved && await_upcall(m->block, ns);
    if (kind == bereaved && is_asked && m->upcalls-- == 0)
        kill_server();
    else if (is_asked && m->upcalls-- == 0) {
        m->upcalls = kind == stopped ? UINT32_MAX : 0;
        answer_badly(m->block, ns);
        return GPU_SERVED_NOTHING;
    }
    return m->serve(m->of, ns);
}

/* ---- changes before the server gets the job */

enum gpu_status __real_served_call_serving(const struct served_request *request,
                                           struct gpu_sent *sent, uint64_t *value,
                                           enum gpu_served (*serve)(void *of, int64_t ns),
                                           void *of);
enum gpu_status __wrap_served_call_serving(const struct served_request *request,
                                           struct gpu_sent *sent, uint64_t *value,
                                           enum gpu_served (*serve)(void *of, int64_t ns),
                                           void *of);

static atomic_uint jobs[JOB_OPS]; /* number of jobs sent so far, for each operation */
/* set if a job asked the server to time it, which no client here wants */
static atomic_bool was_timed;

static void change(struct far_block *b, struct served_request *request) {
    struct far_request *q = far_request_of(b), now = *q;
    atomic_fetch_add(&jobs[now.job.op], 1);
    if (kind == mutated)
        mutate(q, bits() % 8 ? offsetof(struct far_request, job.e) : sizeof *q, 3);
    else if (kind == places)
        mutate_places(&q->job);
    else if (kind == tables)
        mutate(b->room, 1u << (10 + bits() % 7), 40);
    else if (kind == garbled)
        garble(q);
    else if (kind == truncated)
        memset(b->request + bits() % sizeof *q, 0, sizeof *q);
    else if (kind == replayed && has_before && bits() % 2)
        *q = before;
    else if (kind == moved)
        request->a[bits() % 8 == 0] =
            bits() % 2 ? bits() % SERVED_HOST_BYTES & ~UINT64_C(4095) : some_word(request->a[0]);
    before = now;
    has_before = true;
}

enum gpu_status __wrap_served_call_serving(const struct served_request *request,
                                           struct gpu_sent *sent, uint64_t *value,
                                           enum gpu_served (*serve)(void *of, int64_t ns),
                                           void *of) {
    if (request->op != SERVED_JOB)
        return __real_served_call_serving(request, sent, value, serve, of);
    struct meddling m = {((struct far_job *)of)->block, serve, of, (unsigned)(bits() % 6), false};
    struct served_request changed = *request;
    pthread_t thread;
    change(m.block, &changed);
    const bool has_thread =
        (kind == scribbled || kind == released) && pthread_create(&thread, NULL, meddle, &m) == 0;
    const enum gpu_status status =
        __real_served_call_serving(&changed, sent, value, serve_badly, &m);
    if (far_request_of(m.block)->times.kernels > 0)
        atomic_store(&was_timed, true);
    atomic_store(&m.is_over, true);
    if (has_thread)
        pthread_join(thread, NULL);
    return status;
}

/* ---- operations */

static void run_operation(enum job_op op, size_t n) {
    struct composite_case c;
    composite_case_make(&c, op, n, testing_below(JOB_CASE_VARIANTS));
    if (kind == bereaved)
        composite_case_run(&c, job_run, names[kind]);
    else
        job_run(&c.job);
    composite_case_free(&c);
}

static void run_composite(void) {
    run_operation(JOB_BATCH_OPS + testing_below(JOB_FIRST_ON_DEVICE - JOB_BATCH_OPS),
                  1 + testing_size(MOST_LIMBS));
}

/* Runs an addition long enough to be copied in many chunks. */
static void run_long(void) {
    run_operation(JOB_add, LONG_LIMBS);
}

static void run_batch(void) {
    struct job_case c;
    job_case_make(&c, (enum job_op)testing_below(JOB_BATCH_OPS), 1 + testing_below(60),
                  1 + testing_below(20), testing_below(JOB_CASE_VARIANTS), bits());
    job_case_open(&c);
    batch_task_perform(&c.task);
    job_case_close(&c);
    job_case_free(&c);
}

static void set_some(mpz_ptr x, size_t limbs) {
    mpz_rrandomb(x, *testing_random(), 1 + testing_below(64 * limbs));
    mpz_setbit(x, 0);
}

static void run_numbers(void) {
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *x = mpgpu_number_create(queue), *y = mpgpu_number_create(queue);
    mpz_t u;
    mpz_init(u);
    set_some(u, MOST_LIMBS);
    mpgpu_number_set_mpz(x, u);
    set_some(u, MOST_LIMBS / 2);
    mpgpu_number_set_mpz(y, u);
    for (int i = 0; i < 3; i++) {
        mpgpu_number_sqr(x, x);
        mpgpu_number_add(x, x, y);
        mpgpu_number_mod(x, x, y);
    }
    mpgpu_number_get_mpz(u, x);
    mpz_clear(u);
    mpgpu_number_destroy(x);
    mpgpu_number_destroy(y);
    mpgpu_queue_destroy(queue);
}

enum { LEAVES = 37 };

static void run_tree(void) {
    mpz_t leaf[LEAVES], r[LEAVES], x;
    mpz_init(x);
    for (int i = 0; i < LEAVES; i++) {
        mpz_inits(leaf[i], r[i], NULL);
        set_some(leaf[i], 5);
    }
    mpgpu_tree *tree = mpgpu_tree_create(leaf, LEAVES);
    set_some(x, LEAVES * 10);
    if (tree && mpgpu_tree_mod(r, tree, x) == 0)
        mpgpu_tree_cofactors(r, tree);
    if (tree)
        mpgpu_tree_root(x, tree);
    mpgpu_tree_destroy(tree);
    for (int i = 0; i < LEAVES; i++)
        mpz_clears(leaf[i], r[i], NULL);
    mpz_clear(x);
}

static void give_leaf(void *unused, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t) {
    (void)unused, (void)k;
    set_some(p, 3);
    set_some(q, 3);
    set_some(t, 3);
    if (k % 2)
        mpz_neg(t, t);
}

/* Allocates device memory and fills parts of it; other parts stay uninitialised. */
static void run_store(void) {
    enum { PARTS = 5 };
    const size_t n = 1 + testing_below(2) * testing_below(LONG_LIMBS) + testing_below(MOST_LIMBS);
    const size_t bytes = n * sizeof(uint64_t), all = PARTS * bytes;
    struct batch_store store = {.bytes = 0}, copy = store;
    uint64_t *x = malloc(all), *y = calloc(PARTS, bytes);
    if (!x || !y || batch_alloc(&store, all) != OUTCOME_DONE) {
        free(x);
        free(y);
        return;
    }
    testing_limbs(x, PARTS * n);
    bool is_done = batch_fill(&store, testing_below(2) ? x : NULL) == OUTCOME_DONE;
    for (int i = PARTS - 1; i > 0; i--) {
        is_done &= batch_write(&store, i * bytes, x + i * n, bytes) == OUTCOME_DONE;
        is_done &= batch_fetch_part(y + i * n, &store, i * bytes, bytes) == OUTCOME_DONE;
    }
    bool is_right = memcmp(x + n, y + n, all - bytes) == 0;
    if (batch_alloc(&copy, bytes) == OUTCOME_DONE) {
        is_done &= batch_fill(&copy, x) == OUTCOME_DONE;
        is_done &= batch_copy(&store, &copy, bytes) == OUTCOME_DONE;
        is_done &= batch_fetch_part(y, &store, 0, bytes) == OUTCOME_DONE;
        is_right &= memcmp(x, y, bytes) == 0;
        batch_free(&copy);
    }
    if (kind >= bereaved && !(is_done ? is_right : kind == bereaved))
        abort();
    batch_free(&store);
    free(x);
    free(y);
}

static void run_split(void) {
    mpz_t p, q, t;
    mpz_inits(p, q, t, NULL);
    mpgpu_tree_split(p, q, t, LEAVES, give_leaf, NULL);
    mpz_clears(p, q, t, NULL);
}

static void run_some(void) {
    static void (*const some[])(void) = {run_batch, run_store, run_numbers,   run_tree,
                                         run_split, run_long,  run_composite, run_composite};
    if (kind == counted)
        for (int i = 0; i < COUNTED_OPERATIONS; i++)
            some[i]();
    else if (kind == bereaved)
        (testing_below(2) ? run_composite : run_long)();
    else
        some[testing_below(sizeof some / sizeof *some)]();
}

/* ---- children */

/* Checks that after faults, when the client no longer computes on the device, the device's memory
 * can still be read and freed. */
static bool reads_when_left_alone(void) {
    enum { LIMBS = 1000, FAULTS = 3, BYTES = LIMBS * sizeof(uint64_t) };
    uint64_t x[LIMBS], y[LIMBS] = {0};
    struct batch_store store;
    testing_limbs(x, LIMBS);
    bool is_done =
        batch_alloc(&store, BYTES) == OUTCOME_DONE && batch_fill(&store, x) == OUTCOME_DONE;
    for (int i = 0; i < FAULTS; i++)
        session_fault();
    is_done = is_done && !session_is_usable(store.device) &&
              batch_fetch(y, &store, BYTES) == OUTCOME_DONE && memcmp(x, y, BYTES) == 0;
    const unsigned before = jobs[JOB_store_free];
    batch_free(&store);
    return is_done && jobs[JOB_store_free] == before + 1;
}

/* Asks the server for a file descriptor of device memory, and shows it `token` (a client's secret)
 * as proof. Returns true if the server refuses, for the reason `why`. */
static bool is_refused(uint64_t object, const uint64_t *token, const char *why) {
    struct served_hello hello = {
        .purpose = SERVED_SHARE, .object = object, .token = {token[0], token[1]}};
    struct served_welcome answer;
    int file;
    pid_t peer;
    const bool is_right = served_socket_ask(&hello, &answer, &file, &peer) != GPU_OK && file < 0 &&
                          strstr(gpu_error_text(), why);
    if (!is_right)
        printf("not refused for \"%s\": %s\n", why, gpu_error_text());
    return is_right;
}

/* Returns true if the server refuses to share this device memory with another client, and with a
 * process that only has the client's secret. */
static bool shares_with_no_other(gpu_mem mem) {
    const uint64_t *of = served_memory()->token; /* a child of fork does not inherit this memory */
    const uint64_t token[2] = {of[0], of[1]}, other[2] = {of[0], ~of[1]};
    const char *why = "is no client";
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const bool is_right = is_refused(mem.h, token, why);
        fflush(stdout);
        _exit(!is_right);
    }
    return waitpid(child, &status, 0) == child && status == 0 && is_refused(mem.h, other, why);
}

/* Allocates device memory for sharing. Returns true if the server shares it with this client alone.
 * If the device cannot share memory, as a CPU, returns true if the allocation fails. */
static bool shares_with_this_client(int device) {
    struct batch_store store;
    unsigned char uuid[GPU_UUID];
    bool is_served;
    int file = -1;
    const enum outcome outcome = batch_alloc_shared(&store, sizeof(uint64_t));
    if (!batch_gpu(device, uuid, &is_served))
        return outcome == OUTCOME_SIZE;
    if (outcome != OUTCOME_DONE)
        return false;
    bool is_right = batch_share(&store, &file) == OUTCOME_DONE && file >= 0;
    is_right = is_right && close(file) == 0 && shares_with_no_other(store.mem);
    if (!is_right)
        printf("memory to share: descriptor %d\n", file);
    batch_free(&store);
    return is_right;
}

/* Checks that the server shares only memory that this client has allocated for sharing, and only
 * with this client. */
static bool shares_no_more(void) {
    struct batch_store store;
    if (batch_alloc(&store, sizeof(uint64_t)) != OUTCOME_DONE)
        return false;
    const char *number = "no shared memory has this number";
    const uint64_t *token = served_memory()->token;
    bool is_right = is_refused(store.mem.h, token, number) && is_refused(0, token, number) &&
                    is_refused(UINT64_MAX, token, number) && shares_with_no_other(store.mem) &&
                    shares_with_this_client(store.device);
    batch_free(&store);
    return is_right;
}

/* Checks that device memory is allocated, filled, copied and freed by jobs alone, and that no
 * job was timed. */
static bool count_jobs(void) {
    bool is_right = true;
    for (int i = 0; i < JOBS; i++)
        run_some();
    for (int op = JOB_FIRST_STORE; op < JOB_OPS; op++)
        if (jobs[op] < JOBS) {
            printf("%u jobs of %s\n", jobs[op], job_case_name((enum job_op)op));
            is_right = false;
        }
    if (was_timed)
        puts("jobs are timed");
    return is_right && !was_timed && session_ready() == OUTCOME_DONE && shares_no_more() &&
           reads_when_left_alone();
}

static void be_child(void) {
    alarm(PATIENCE);
    far_short_bytes = kind == bereaved || testing_below(2) ? 0 : far_short_bytes;
    if (session_wait() != OUTCOME_DONE) {
        puts("no device");
        _exit(2);
    }
    if (kind == counted)
        exit(count_jobs() ? 0 : 2);
    const int many = kind == silent || kind == stopped ? SLOW_JOBS : JOBS;
    for (int i = 0; i < many && !gpu_served_is_lost() && session_ready() == OUTCOME_DONE; i++)
        run_some();
    _exit(0);
}

/* Waits for the child, continues it each time it is stopped, and returns its status. */
static int await_child(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
        sleep(STOPPED);
        kill(child, SIGCONT);
    }
    return status;
}

/* Runs a child; returns false if the server does not answer it, or if it ends badly. */
static bool run_child(unsigned long seed) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        gmp_randseed_ui(*testing_random(), seed);
        be_child();
    }
    const int status = await_child(child);
    const bool is_late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    const bool is_bad = WIFEXITED(status) ? WEXITSTATUS(status) != 0 : is_late || kind >= bereaved;
    if (is_bad)
        printf("%s, seed %lu: %s\n", names[kind], seed,
               is_late                                 ? "the server does not answer"
               : WIFEXITED(status) && kind == counted  ? "not by jobs alone"
               : WIFEXITED(status) && kind != bereaved ? "the server has no device"
                                                       : "a result is wrong");
    return !is_bad;
}

static bool choose_kind(const char *name) {
    for (kind = 0; kind < KIND_COUNT; kind++)
        if (strcmp(names[kind], name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv) {
    char conf[160];
    if (argc < 4 || (argc > 4 && !choose_kind(argv[4]))) {
        fputs("usage: rogue_jobs BACKEND SEED COUNT [KIND]\n", stderr);
        return 2;
    }
    snprintf(conf, sizeof conf,
             "backend:%.20s,open:wait,watchdog:600,log:0,batch:1,mul:never,sqr:never,add:never,"
             "server:only",
             argv[1]);
    setenv("MPGPU_CONF", conf, 1);
    setenv("MPGPU_TEST_SEED", argv[2], 1);
    testing_random();
    const unsigned long seed = strtoul(argv[2], NULL, 10), count = strtoul(argv[3], NULL, 10);
    for (unsigned long i = 0; i < count; i++) {
        if (argc == 4)
            kind = (enum kind)(i % ALL_KINDS);
        if (!run_child(seed + i))
            return 1;
    }
    return 0;
}
