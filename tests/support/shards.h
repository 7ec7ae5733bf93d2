/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of products that several devices compute together.  The devices are "twins": one real
 * device that is opened several times (twin_backend.h), with or without direct copies between
 * twins. */
#ifndef MPGPU_TEST_SHARDS_H
#define MPGPU_TEST_SHARDS_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/gmp/real.h"
#include "lib/memory/pool.h"
#include "lib/job/limbs.h"
#include "lib/session/session_device.h"
#include "tests/support/twins.h"

static struct gpu_backend backend;
const struct gpu_backend *const gpu_backends[] = {&backend, NULL};

/* The devices of a test: their number, and the value of the option `device`. */
struct shards_devices {
    const char *name, *list;
    int count;
    bool peers; /* the devices can copy from one another */
};

/* Opens the test's devices.  Also resets the handlers that sanitizers install for SIGSEGV and
 * SIGBUS, because the library does not split a product between devices while the program handles
 * these signals. */
static inline void shards_begin(const struct shards_devices *d, const char *conf) {
    char all[256];
    snprintf(all, sizeof all,
             "open:wait,watchdog:0,dispatch:fixed,mul:1,sqr:1,stats:text,device:%s,log:%lu,%s",
             d->list, testing_option("MPGPU_TEST_LOG", 0) % 10, conf);
    setenv("MPGPU_CONF", all, 1);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    backend = twin_backend;
    backend.peer_copy = d->peers ? twin_backend.peer_copy : NULL;
    twin_count = d->count;
    call_init();
    stats_on = true;
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    ck_assert_int_eq(session_devices_in(SESSION_READY), d->count);
}

static inline uint64_t shards_calls(unsigned i) {
    struct session_work work;
    return session_ask_work(i, &work) ? work.calls : 0;
}

/* A product whose result has guard limbs around it. The members `calls` are read just before the
 * product, because generating the operands also sends calls to the devices. */
struct shards_case {
    mp_limb_t *up, *vp, *rp, *right, *before;
    size_t un, vn;
    int bound;                  /* the device to which the thread is bound, or SESSION_ANY */
    uint64_t calls[TWINS_MOST]; /* calls of each device before the product */
};

enum { SHARDS_GUARD = 3 };

static inline struct shards_case shards_case_in(void *(*take)(size_t bytes), size_t un, size_t vn) {
    struct shards_case c = {.un = un, .vn = vn, .bound = SESSION_ANY};
    size_t operands = un + vn, result = operands + 2 * SHARDS_GUARD;
    c.up = take((3 * operands + result) * sizeof(mp_limb_t));
    ck_assert_ptr_nonnull(c.up);
    c.vp = c.up + un;
    c.before = c.up + operands;
    c.right = c.before + operands;
    c.rp = c.right + operands + SHARDS_GUARD;
    return c;
}

static inline struct shards_case shards_case(size_t un, size_t vn) {
    return shards_case_in(malloc, un, vn);
}

static inline void shards_free(struct shards_case *c) {
    if (pool_owns(c->up))
        pool_free(c->up);
    else
        free(c->up);
}

/* Computes {up, un} {vp, vn} on the devices, or the square of {up, un} if is_square.  Returns the
 * outcome. */
static inline enum outcome shards_multiply(struct shards_case *c, bool is_square) {
    const mp_limb_t *vp = is_square ? c->up : c->vp;
    size_t n = c->un + c->vn;
    real.mpn_mul(c->right, c->up, (mp_size_t)c->un, vp, (mp_size_t)c->vn);
    memcpy(c->before, c->up, n * sizeof *c->up);
    memset(c->rp - SHARDS_GUARD, 0x5a, (n + 2 * SHARDS_GUARD) * sizeof *c->rp);
    for (unsigned i = 0; i < TWINS_MOST; i++)
        c->calls[i] = shards_calls(i);
    session_bind(c->bound);
    return limbs_mul(c->rp, c->up, c->un, vp, c->vn);
}

/* Checks that the result is right, and that operands, guard limbs and other devices' memory are
 * unchanged. */
static inline void shards_check(const struct shards_case *c, const char *what) {
    size_t n = c->un + c->vn, wrong = 0;
    mp_limb_t guard[SHARDS_GUARD];
    memset(guard, 0x5a, sizeof guard);
    while (wrong < n && c->rp[wrong] == c->right[wrong])
        wrong++;
    ck_assert_msg(wrong == n, "%s: %zu by %zu limbs: limb %zu", what, c->un, c->vn, wrong);
    ck_assert_msg(memcmp(c->before, c->up, n * sizeof *c->up) == 0, "%s: an operand", what);
    ck_assert_msg(memcmp(c->rp + n, guard, sizeof guard) == 0 &&
                      memcmp(c->rp - SHARDS_GUARD, guard, sizeof guard) == 0,
                  "%s: beyond the result", what);
    for (int i = 0; i < TWINS_MOST; i++)
        ck_assert_msg(twins[i].strays == 0, "%s: another device's memory", what);
}

#endif
