/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The backend whose launches go wrong: the launches themselves. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/fault/inject_impl.h"

const char *const inject_names[INJECT_KINDS] = {"lost",  "lost on", "repeated",
                                                "stale", "bit",     "any bit"};

/* The state of the injection; inject_mutex protects it. */
static struct {
    enum inject_kind kind;
    long launch, count; /* number of the launch that goes wrong; launches so far */
    uint64_t seed;
    bool counts, is_done, drops; /* drops: this launch and all later ones are skipped */
    char text[160];
} now;

uint64_t inject_random(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void inject_begin(enum inject_kind kind, long launch, uint64_t seed) {
    pthread_mutex_lock(&inject_mutex);
    memset(&now, 0, sizeof now);
    now.kind = kind;
    now.launch = launch;
    now.seed = seed;
    now.counts = true;
    pthread_mutex_unlock(&inject_mutex);
}

long inject_end(void) {
    pthread_mutex_lock(&inject_mutex);
    long count = now.count;
    now.counts = now.drops = false;
    pthread_mutex_unlock(&inject_mutex);
    return count;
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

/* Chooses the part of buffer argument i in which a bit changes: the number that the next
 * arguments describe by offset and length, a part that begins at that offset, or any part. Sets
 * *from to its first byte; returns its bytes. */
static size_t part_of(const struct inject_call *call, unsigned i, size_t bytes, size_t *from) {
    const struct gpu_arg *place = &call->args[i + 1];
    const bool has_place = i + 1 < call->nargs && place[0].kind == GPU_ARG_U64;
    const bool has_words = has_place && i + 2 < call->nargs && place[1].kind == GPU_ARG_U64;
    const size_t way = below(8), named = has_words ? place[1].v.u64 * sizeof(uint32_t) : 0;
    size_t most = WINDOW;
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

/* Sets *at to a random byte of a part of the buffer, preferring bytes that are not 0, because
 * these are in use. */
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

/* Returns true if a bit of this argument may change: it must be device memory, not host memory. */
static bool may_flip(const struct gpu_arg *arg) {
    const struct inject_memory *m = arg->kind == GPU_ARG_MEM ? inject_memory_of(arg->v.mem) : NULL;
    return m && !m->host && (m->is_used || now.kind == INJECT_ANY_BIT);
}

static enum gpu_status flip(gpu_queue_impl *queue, const struct inject_call *call) {
    unsigned known[GPU_KERNEL_ARGS], count = 0;
    unsigned char byte = 0;
    size_t at;
    for (unsigned i = 0; i < call->nargs; i++)
        if (may_flip(&call->args[i]))
            known[count++] = i;
    now.is_done = count > 0;
    now.launch += count == 0; /* no buffer is suitable: the next launch goes wrong instead */
    if (count == 0)
        return GPU_OK;
    unsigned i = known[below(count)];
    const gpu_mem mem = call->args[i].v.mem;
    const struct inject_memory *m = inject_memory_of(mem);
    enum gpu_status status = choose(queue, call, i, m, &at);
    const unsigned char bit = (unsigned char)(1u << below(8));
    size_t length = strlen(now.text);
    snprintf(now.text + length, sizeof now.text - length, ", argument %u, byte %zu, bit %02x", i,
             at, bit);
    if (status == GPU_OK)
        status = inject_real->read(queue, &byte, mem, at, 1);
    status = status == GPU_OK ? finish(queue) : status;
    byte ^= bit;
    status = status == GPU_OK ? inject_real->write(queue, mem, at, &byte, 1) : status;
    return status == GPU_OK ? finish(queue) : status;
}

/* ---- a launch */

/* Launches the kernel. On a CPU, waits for its end before the next one begins
 * (tests/unit/fault/fault_devices.h). */
static enum gpu_status issue(gpu_queue_impl *queue, gpu_kernel_impl *kernel,
                             const struct inject_call *call) {
    enum gpu_status status =
        inject_real->launch(queue, kernel, call->x, call->y, call->args, call->nargs);
    for (unsigned i = 0; i < call->nargs; i++) {
        struct inject_memory *m =
            call->args[i].kind == GPU_ARG_MEM ? inject_memory_of(call->args[i].v.mem) : NULL;
        if (m)
            m->is_used = true;
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

static enum gpu_status go_wrong(gpu_queue_impl *queue, struct inject_kernel *k,
                                const struct inject_call *call) {
    bool before = now.kind == INJECT_BIT || below(2);
    enum gpu_status status = GPU_OK;
    now.is_done = true;
    switch (now.kind) {
    case INJECT_LOST_ON:
        now.drops = true;
        return GPU_OK;
    case INJECT_REPEATED:
        status = issue(queue, k->impl, call);
        return status == GPU_OK ? issue(queue, k->impl, call) : status;
    case INJECT_STALE:
        return is_there(&k->last) ? issue(queue, k->impl, &k->last) : GPU_OK;
    case INJECT_BIT:
    case INJECT_ANY_BIT:
        if (before)
            status = flip(queue, call);
        status = status == GPU_OK ? issue(queue, k->impl, call) : status;
        return status == GPU_OK && !before ? flip(queue, call) : status;
    default:
        return GPU_OK;
    }
}

static void describe(const struct inject_kernel *k) {
    snprintf(now.text, sizeof now.text, "launch %ld (%.40s)", now.launch,
             k->id < GPU_KERNELS ? gpu_kernel_heads[k->id].name : "of a text");
}

static enum gpu_status one(gpu_queue_impl *queue, struct inject_kernel *k,
                           const struct inject_call *call) {
    if (now.counts)
        now.count++;
    if (now.drops)
        return GPU_OK;
    if (!now.counts || now.is_done || now.count != now.launch)
        return issue(queue, k->impl, call);
    describe(k);
    return go_wrong(queue, k, call);
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
