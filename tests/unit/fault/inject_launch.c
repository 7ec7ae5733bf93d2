/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The backend that makes one launch go wrong: the launches themselves. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fault/inject_impl.h"

const char *const inject_names[INJECT_KINDS] = {
    "lost",       "lost-on",     "repeated",     "delayed",       "old-arguments", "constant",
    "old-memory", "lost-zero",   "operand-bit",  "table-bit",     "scratch-bit",   "result-bit",
    "upload-bit", "lost-upload", "download-bit", "lost-download", "repeated-late"};

/* A delayed launch, which is issued after `wait` other launches. queue NULL: no launch is
 * delayed. */
struct held {
    gpu_queue_impl *queue;
    struct inject_kernel *kernel;
    struct inject_call call;
    size_t wait;
};

/* The state of a run; inject_mutex protects it. */
static struct {
    enum inject_kind kind;
    unsigned set;
    /* event: number of the launch or copy that goes wrong; count: number of launches and copies so
     * far that could go wrong */
    long event, count;
    long launches; /* launches so far */
    uint64_t seed;
    bool counts, learns, is_done, drops; /* drops: the launch with the fault and all later ones are
                                            skipped */
    struct held held;
    char text[160];
} now;
bool inject_after_checks;
static unsigned run_number;
static long learned[INJECT_KINDS];

enum { MOST_LAUNCHES = 4096, SETS = 8 };
/* Bit i of downloaded[set][launch] is set if argument i of this launch is memory that a launch has
 * written and that the host downloads later in the run. */
static uint32_t downloaded[SETS][MOST_LAUNCHES];
/* for each launch and argument: the handle of the memory if a launch of this run has written it,
 * otherwise 0 */
static uint64_t written_then[MOST_LAUNCHES][GPU_KERNEL_ARGS];

uint64_t inject_random(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void begin(enum inject_kind kind, unsigned set, long event, uint64_t seed, bool learns) {
    pthread_mutex_lock(&inject_mutex);
    memset(&now, 0, sizeof now);
    now.kind = kind;
    now.set = set % SETS;
    now.event = event;
    now.seed = seed;
    now.counts = true;
    now.learns = learns;
    run_number++;
    if (learns) {
        memset(learned, 0, sizeof learned);
        memset(downloaded[now.set], 0, sizeof downloaded[0]);
        memset(written_then, 0, sizeof written_then);
    }
    pthread_mutex_unlock(&inject_mutex);
}

void inject_begin(enum inject_kind kind, unsigned set, long event, uint64_t seed) {
    begin(kind, set, event, seed, false);
}

void inject_learn(unsigned set) {
    begin(INJECT_LOST, set, 0, 0, true);
}

/* Counts the launches in which a bit of scratch memory or of a result can be changed. This is
 * possible only at the run's end: before that, the run does not know what the host will
 * download. */
static void count_written(void) {
    learned[INJECT_SCRATCH_BIT] = learned[INJECT_RESULT_BIT] = 0;
    for (long n = 0; n < now.launches && n < MOST_LAUNCHES; n++) {
        uint32_t written = 0;
        for (unsigned i = 0; i < GPU_KERNEL_ARGS; i++)
            written |= (uint32_t)(written_then[n][i] != 0) << i;
        learned[INJECT_SCRATCH_BIT] += (written & ~downloaded[now.set][n]) != 0;
        learned[INJECT_RESULT_BIT] += downloaded[now.set][n] != 0;
    }
}

static void issue_held(void);

long inject_end(void) {
    pthread_mutex_lock(&inject_mutex);
    long count = now.count;
    issue_held();
    if (now.learns)
        count_written();
    now.counts = now.drops = now.learns = false;
    pthread_mutex_unlock(&inject_mutex);
    return count;
}

long inject_learned(enum inject_kind kind) {
    return learned[kind];
}

/* Counts a launch or copy. `is_able` returns true if a fault of the given kind is possible in it.
 * Returns true if the launch or copy must go wrong now. */
static bool comes(bool (*is_able)(enum inject_kind kind, const void *of), const void *of) {
    if (!now.counts)
        return false;
    for (int kind = 0; now.learns && kind < INJECT_KINDS; kind++)
        learned[kind] += is_able((enum inject_kind)kind, of);
    if (!is_able(now.kind, of))
        return false;
    return ++now.count == now.event && !now.is_done;
}

bool inject_is_done(void) {
    return now.is_done;
}

const char *inject_text(void) {
    return now.text;
}

static enum gpu_status finish(gpu_queue_impl *queue) {
    gpu_event_impl *event;
    enum gpu_status status = inject_real->event_record(queue, &event);
    if (status != GPU_OK)
        return status;
    status = inject_real->event_wait(event);
    inject_real->event_release(event);
    return status;
}

/* ---- a bit */

static size_t below(size_t n) {
    return inject_random(&now.seed) % n;
}

enum { WINDOW = 1 << 14 };

/* Chooses the part of buffer argument i in which a bit is changed. The part is one of these: the
 * first bytes; the number whose offset and length are the next arguments; bytes from that offset;
 * or any bytes. Sets *from to its first byte and returns its length in bytes. */
static size_t part_of(const struct inject_call *call, unsigned i, size_t bytes, size_t *from) {
    const struct gpu_arg *place = &call->args[i + 1];
    const bool has_place = i + 1 < call->nargs && place[0].kind == GPU_ARG_U64;
    const bool has_words = has_place && i + 2 < call->nargs && place[1].kind == GPU_ARG_U64;
    const size_t way = below(8), named = has_words ? place[1].v.u64 * sizeof(uint32_t) : 0;
    size_t most = WINDOW;
    if (below(2)) { /* small numbers occupy only the first bytes of a buffer */
        *from = 0;
        most = (size_t)64 << below(9);
        return most < bytes ? most : bytes;
    }
    *from = below(bytes);
    if (has_place && way > 0)
        *from = place[0].v.u64 * (way == 1 ? sizeof(uint64_t) : sizeof(uint32_t));
    if (way > 2 && named > WINDOW)
        *from += below(named - WINDOW);
    else if (way > 2 && named > 0)
        most = named;
    most = most < bytes ? most : bytes;
    if (*from > bytes - most)
        *from = bytes - most;
    return most;
}

/* Chooses a random byte of a part of the buffer and sets *at to its position. Prefers bytes that
 * are not 0, because these are in use. */
static enum gpu_status choose(gpu_queue_impl *queue, const struct inject_call *call, unsigned i,
                              const struct inject_memory *m, size_t *at) {
    static unsigned char part[WINDOW];
    size_t from, used = 0, bytes = part_of(call, i, m->bytes, &from);
    enum gpu_status status = finish(queue);
    if (status == GPU_OK)
        status = inject_real->read(queue, part, call->args[i].v.mem, from, bytes);
    status = status == GPU_OK ? finish(queue) : status;
    for (size_t k = 0; k < bytes; k++)
        used += part[k] != 0;
    size_t which = below(used ? used : bytes), k = 0;
    while (used && (part[k] == 0 || which-- > 0))
        k++;
    *at = from + (used ? k : which);
    return status;
}

/* Returns the memory of argument i of the launch if it is device memory. Returns NULL if it is a
 * number or host memory. */
static struct inject_memory *memory_of(const struct inject_call *call, unsigned i) {
    const struct gpu_arg *arg = &call->args[i];
    struct inject_memory *m = arg->kind == GPU_ARG_MEM ? inject_memory_of(arg->v.mem) : NULL;
    return m && !m->host ? m : NULL;
}

/* Returns true if a fault of this kind can change a bit in argument i of the launch. */
static bool is_flippable(enum inject_kind kind, const struct inject_call *call, unsigned i) {
    const struct inject_memory *m = memory_of(call, i);
    if (!m)
        return false;
    if (!m->is_used)
        return kind == INJECT_UPLOAD_BIT && m->is_by_host && m->run == run_number;
    if (m->run != run_number)
        return kind == INJECT_TABLE_BIT;
    if (m->is_by_host)
        return kind == INJECT_OPERAND_BIT;
    const bool is_result =
        now.launches < MOST_LAUNCHES && downloaded[now.set][now.launches] >> i & 1;
    return kind == (is_result ? INJECT_RESULT_BIT : INJECT_SCRATCH_BIT);
}

static unsigned flippable(enum inject_kind kind, const struct inject_call *call, unsigned *which) {
    unsigned count = 0;
    for (unsigned i = 0; i < call->nargs; i++)
        if (is_flippable(kind, call, i))
            which[count++] = i;
    return count;
}

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...) {
    const size_t length = strlen(now.text);
    va_list list;
    va_start(list, format);
    vsnprintf(now.text + length, sizeof now.text - length, format, list);
    va_end(list);
}

/* Changes a random bit of the byte at position `at`. */
static enum gpu_status flip_byte(gpu_queue_impl *queue, gpu_mem mem, size_t at) {
    const unsigned char bit = (unsigned char)(1u << below(8));
    unsigned char byte = 0;
    say(", byte %zu, bit %02x", at, bit);
    enum gpu_status status = inject_real->read(queue, &byte, mem, at, 1);
    status = status == GPU_OK ? finish(queue) : status;
    byte ^= bit;
    status = status == GPU_OK ? inject_real->write(queue, mem, at, &byte, 1) : status;
    return status == GPU_OK ? finish(queue) : status;
}

static enum gpu_status flip(gpu_queue_impl *queue, const struct inject_call *call) {
    unsigned known[GPU_KERNEL_ARGS];
    size_t at;
    const unsigned i = known[below(flippable(now.kind, call, known))];
    const gpu_mem mem = call->args[i].v.mem;
    enum gpu_status status = choose(queue, call, i, inject_memory_of(mem), &at);
    say(", argument %u", i);
    return status == GPU_OK ? flip_byte(queue, mem, at) : status;
}

/* ---- faults in numbers among the arguments */

static uint64_t number_of(const struct gpu_arg *arg) {
    return arg->kind == GPU_ARG_U32 ? arg->v.u32 : arg->kind == GPU_ARG_U64 ? arg->v.u64 : 0;
}

static unsigned numbers_of(const struct inject_call *call, unsigned *which) {
    unsigned count = 0;
    for (unsigned i = 0; i < call->nargs; i++)
        if (number_of(&call->args[i]) != 0)
            which[count++] = i;
    return count;
}

/* Clears a bit, or all bits, of a number among the arguments. A bit is never set, because greater
 * lengths and offsets could exceed the memory. */
static void clear_bits(struct inject_call *call) {
    unsigned known[GPU_KERNEL_ARGS], bit;
    const unsigned i = known[below(numbers_of(call, known))];
    struct gpu_arg *arg = &call->args[i];
    const uint64_t x = number_of(arg);
    do
        bit = (unsigned)below(64);
    while (!(x >> bit & 1));
    const uint64_t y = below(2) ? x ^ (uint64_t)1 << bit : 0;
    if (arg->kind == GPU_ARG_U32)
        arg->v.u32 = (uint32_t)y;
    else
        arg->v.u64 = y;
    say(", argument %u of value %llu becomes %llu", i, (unsigned long long)x,
        (unsigned long long)y);
}

/* ---- a launch */

/* Returns true if argument i is memory to which the kernel may write. */
static bool is_writable(const struct inject_kernel *k, const struct inject_call *call, unsigned i) {
    return call->args[i].kind == GPU_ARG_MEM &&
           (k->id >= GPU_KERNELS || gpu_kernel_heads[k->id].takes[i] == 'm');
}

/* Launches the kernel. On a CPU, also waits for its end, so that only one kernel runs at a time
 * (see tests/unit/fault/fault_devices.h). */
static enum gpu_status issue(gpu_queue_impl *queue, struct inject_kernel *k,
                             const struct inject_call *call) {
    enum gpu_status status =
        inject_real->launch(queue, k->impl, call->x, call->y, call->args, call->nargs);
    for (unsigned i = 0; i < call->nargs; i++) {
        struct inject_memory *m =
            call->args[i].kind == GPU_ARG_MEM ? inject_memory_of(call->args[i].v.mem) : NULL;
        if (!m)
            continue;
        m->is_used = true;
        if (is_writable(k, call, i)) {
            m->is_by_host = false;
            m->run = run_number;
        }
    }
    return status == GPU_OK && inject_is_cpu ? finish(queue) : status;
}

/* Returns true if the kernel was launched before and all memory of that launch still exists. */
static bool is_there(const struct inject_call *call) {
    for (unsigned i = 0; i < call->nargs; i++)
        if (call->args[i].kind == GPU_ARG_MEM && !inject_memory_of(call->args[i].v.mem))
            return false;
    return call->nargs > 0;
}

static void issue_held(void) {
    if (now.held.queue && is_there(&now.held.call))
        issue(now.held.queue, now.held.kernel, &now.held.call);
    now.held.queue = NULL;
}

/* Issues a delayed launch and waits for its end, so that later commands of all queues come after
 * it. This matters for downloads: they often use another queue, which does not wait for the delayed
 * launch. */
static void issue_held_first(void) {
    gpu_queue_impl *queue = now.held.queue;
    if (!queue || inject_after_checks)
        return;
    issue_held();
    if (finish(queue) != GPU_OK)
        say(", which failed");
}

static bool is_check(const struct inject_kernel *k) {
    static const char *const names[] = {"residue", "check", "equation", "unchanged", "wraparound"};
    for (size_t i = 0; i < sizeof names / sizeof *names && k->id < GPU_KERNELS; i++)
        if (strstr(gpu_kernel_heads[k->id].name, names[i]))
            return true;
    return false;
}

static void delay(gpu_queue_impl *queue, struct inject_kernel *k, const struct inject_call *call) {
    now.held = (struct held){queue, k, *call, 1 + below(4)};
    say(", %zu launches later", now.held.wait);
}

void inject_forget_queue(const gpu_queue_impl *queue) {
    pthread_mutex_lock(&inject_mutex);
    if (now.held.queue == queue)
        now.held.queue = NULL;
    pthread_mutex_unlock(&inject_mutex);
}

/* ---- faults in which memory keeps its old content */

enum { MOST_KEPT = 1 << 20, LINE = 128 };

static unsigned written_by(const struct inject_kernel *k, const struct inject_call *call,
                           unsigned *which) {
    unsigned count = 0;
    for (unsigned i = 0; i < call->nargs; i++)
        if (is_writable(k, call, i) && memory_of(call, i))
            which[count++] = i;
    return count;
}

/* Launches the kernel, then gives a part of a buffer its old content: LINE bytes that the launch
 * has changed, or the whole buffer. */
static enum gpu_status keep_old(gpu_queue_impl *queue, struct inject_kernel *k,
                                const struct inject_call *call) {
    static unsigned char old[MOST_KEPT], new[MOST_KEPT];
    unsigned known[GPU_KERNEL_ARGS];
    const unsigned i = known[below(written_by(k, call, known))];
    const gpu_mem mem = call->args[i].v.mem;
    const size_t all = inject_memory_of(mem)->bytes, bytes = all < MOST_KEPT ? all : MOST_KEPT;
    size_t changed = 0, at = 0, length = bytes;
    enum gpu_status status = finish(queue);
    status = status == GPU_OK ? inject_real->read(queue, old, mem, 0, bytes) : status;
    status = status == GPU_OK ? finish(queue) : status;
    status = status == GPU_OK ? issue(queue, k, call) : status;
    status = status == GPU_OK ? inject_real->read(queue, new, mem, 0, bytes) : status;
    status = status == GPU_OK ? finish(queue) : status;
    for (size_t b = 0; b < bytes; b++)
        changed += old[b] != new[b];
    if (status != GPU_OK || changed == 0) {
        /* the launch changed nothing, so the next launch gets the fault instead */
        now.is_done = false;
        now.event++;
        return status;
    }
    if (below(4) > 0) {
        size_t which = below(changed);
        while (old[at] == new[at] || which-- > 0)
            at++;
        at -= at % LINE;
        length = bytes - at < LINE ? bytes - at : LINE;
    }
    say(", argument %u, from byte %zu, %zu bytes", i, at, length);
    status = inject_real->write(queue, mem, at, old + at, length);
    return status == GPU_OK ? finish(queue) : status;
}

/* ---- a launch */

static enum gpu_status go_wrong(gpu_queue_impl *queue, struct inject_kernel *k,
                                struct inject_call call) {
    enum gpu_status status = GPU_OK;
    now.is_done = true;
    switch (now.kind) {
    case INJECT_LOST_ON:
        now.drops = true;
        return GPU_OK;
    case INJECT_REPEATED:
        status = issue(queue, k, &call);
        return status == GPU_OK ? issue(queue, k, &call) : status;
    case INJECT_REPEATED_LATE:
        delay(queue, k, &call);
        return issue(queue, k, &call);
    case INJECT_DELAYED:
        delay(queue, k, &call);
        return GPU_OK;
    case INJECT_OLD_ARGUMENTS:
        return is_there(&k->last) ? issue(queue, k, &k->last) : GPU_OK;
    case INJECT_CONSTANT:
        clear_bits(&call);
        return issue(queue, k, &call);
    case INJECT_OLD_MEMORY:
        return keep_old(queue, k, &call);
    case INJECT_LOST:
        return GPU_OK;
    default:
        status = flip(queue, &call);
        return status == GPU_OK ? issue(queue, k, &call) : status;
    }
}

static void describe(const struct inject_kernel *k) {
    snprintf(now.text, sizeof now.text, "launch %ld (%.40s)", now.launches + 1,
             k->id < GPU_KERNELS ? gpu_kernel_heads[k->id].name : "of a text");
}

struct coming {
    const struct inject_kernel *kernel;
    const struct inject_call *call;
};

static bool launch_is_able(enum inject_kind kind, const void *of) {
    const struct coming *c = of;
    unsigned which[GPU_KERNEL_ARGS];
    switch (kind) {
    case INJECT_CONSTANT:
        return numbers_of(c->call, which) > 0;
    case INJECT_OLD_MEMORY:
        return written_by(c->kernel, c->call, which) > 0;
    case INJECT_LOST_ZERO:
    case INJECT_LOST_UPLOAD:
    case INJECT_LOST_DOWNLOAD:
    case INJECT_DOWNLOAD_BIT:
        return false;
    case INJECT_OPERAND_BIT:
    case INJECT_TABLE_BIT:
    case INJECT_SCRATCH_BIT:
    case INJECT_RESULT_BIT:
    case INJECT_UPLOAD_BIT:
        return flippable(kind, c->call, which) > 0;
    default:
        return true;
    }
}

/* Records which buffers of this launch were written by earlier launches of the run. */
static void learn_buffers(const struct inject_call *call) {
    for (unsigned i = 0; i < call->nargs && now.launches < MOST_LAUNCHES; i++) {
        const struct inject_memory *m =
            call->args[i].kind == GPU_ARG_MEM ? inject_memory_of(call->args[i].v.mem) : NULL;
        const bool is_written = m && !m->host && m->run == run_number && !m->is_by_host;
        written_then[now.launches][i] = is_written ? m->h : 0;
    }
}

static enum gpu_status one(gpu_queue_impl *queue, struct inject_kernel *k,
                           const struct inject_call *call) {
    const struct coming coming = {k, call};
    if (now.learns)
        learn_buffers(call);
    if (is_check(k))
        issue_held_first();
    const bool is_wrong = comes(launch_is_able, &coming);
    if (is_wrong)
        describe(k);
    enum gpu_status status = now.drops  ? GPU_OK
                             : is_wrong ? go_wrong(queue, k, *call)
                                        : issue(queue, k, call);
    now.launches++;
    if (!is_wrong && now.held.queue && --now.held.wait == 0)
        issue_held();
    return status;
}

enum gpu_status inject_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned x,
                              unsigned y, const struct gpu_arg *args, unsigned nargs) {
    struct inject_call call = {.x = x, .y = y, .nargs = nargs};
    memcpy(call.args, args, nargs * sizeof *args);
    pthread_mutex_lock(&inject_mutex);
    struct inject_kernel *k = inject_kernel_of(kernel);
    enum gpu_status status = one(queue, k, &call);
    k->last = call;
    pthread_mutex_unlock(&inject_mutex);
    return status;
}

/* ---- copies */

static bool copy_is_able(enum inject_kind kind, const void *of) {
    return kind == *(const enum inject_kind *)of;
}

static bool copy_is_wrong(enum inject_kind kind, size_t bytes) {
    const bool is_wrong = bytes > 0 && comes(copy_is_able, &kind);
    if (is_wrong) {
        now.is_done = true;
        snprintf(now.text, sizeof now.text, "after launch %ld, %zu bytes", now.launches, bytes);
    }
    return is_wrong;
}

bool inject_skips(enum inject_kind kind, size_t bytes) {
    pthread_mutex_lock(&inject_mutex);
    const bool skips = copy_is_wrong(kind, bytes);
    pthread_mutex_unlock(&inject_mutex);
    return skips;
}

void inject_note_write(gpu_mem mem) {
    pthread_mutex_lock(&inject_mutex);
    struct inject_memory *m = inject_memory_of(mem);
    if (m) {
        m->is_used = false;
        m->is_by_host = true;
        m->run = run_number;
    }
    pthread_mutex_unlock(&inject_mutex);
}

enum gpu_status inject_note_read(gpu_queue_impl *queue, gpu_mem mem, size_t offset, size_t bytes) {
    enum gpu_status status = GPU_OK;
    pthread_mutex_lock(&inject_mutex);
    for (long n = 0; now.learns && n < now.launches && n < MOST_LAUNCHES; n++)
        for (unsigned i = 0; i < GPU_KERNEL_ARGS; i++)
            if (mem.h && written_then[n][i] == mem.h)
                downloaded[now.set][n] |= 1u << i;
    issue_held_first();
    if (copy_is_wrong(INJECT_DOWNLOAD_BIT, bytes)) {
        status = finish(queue);
        status = status == GPU_OK ? flip_byte(queue, mem, offset + below(bytes)) : status;
    }
    pthread_mutex_unlock(&inject_mutex);
    return status;
}
