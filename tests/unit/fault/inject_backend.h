/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real backend in which one launch goes wrong without any error, as on a
 * device or a driver that fails silently. */
#ifndef MPGPU_TEST_INJECT_BACKEND_H
#define MPGPU_TEST_INJECT_BACKEND_H

#include "gpu/gpu.h"

enum inject_kind {
    INJECT_LOST,          /* the launch is skipped */
    INJECT_LOST_ON,       /* the launch and all later ones are skipped, until inject_end */
    INJECT_REPEATED,      /* the launch is issued twice */
    INJECT_DELAYED,       /* the launch is issued after some later launches */
    INJECT_OLD_ARGUMENTS, /* the launch gets the arguments of the kernel's previous launch; without
                             one it is skipped */
    INJECT_CONSTANT,      /* a set bit of a number among the launch's arguments is cleared */
    INJECT_OLD_MEMORY,    /* a part of what the launch has written gets its content before the
                             launch */
    INJECT_LOST_ZERO,     /* the device memory is not set to zeros */
    /* Before the launch, a bit changes in one of its buffers. An earlier launch has used the buffer
     * since the host wrote to it. */
    INJECT_OPERAND_BIT, /* the host wrote the buffer in this run */
    INJECT_TABLE_BIT,   /* nothing wrote the buffer in this run: tables, kept operands */
    INJECT_SCRATCH_BIT, /* a launch wrote the buffer, which the host does not download */
    INJECT_RESULT_BIT,  /* a launch wrote the buffer, which the host downloads later in this run */
    /* The kinds below are only for operations whose check covers these transfers. */
    INJECT_UPLOAD_BIT,    /* before a buffer's first launch, a bit of uploaded data changes */
    INJECT_LOST_UPLOAD,   /* the copy to the device is skipped */
    INJECT_DOWNLOAD_BIT,  /* just before the copy from the device, a bit of its data changes */
    INJECT_LOST_DOWNLOAD, /* the copy from the device is skipped */
    INJECT_REPEATED_LATE, /* the launch is issued again after some later launches, which may be
                             after the check and before the download */
    INJECT_KINDS
};
extern const char *const inject_names[INJECT_KINDS];

/* A backend that wraps `real`; inject_use sets it. Its first device is opened once and stays
 * open. */
extern struct gpu_backend inject_backend;
void inject_use(const struct gpu_backend *real);

/* If true, later sessions find no device. */
extern bool inject_is_absent;

/* If false, a delayed launch is issued before the next launch of a check and before the next copy
 * to the host. The check covers nothing that happens after these. */
extern bool inject_after_checks;

/* Starts a run. In operand set `set`, the launch or copy number `event` goes wrong (from 1,
 * among the launches and copies that can have the fault). `seed` chooses the bit. event 0: no
 * fault. */
void inject_begin(enum inject_kind kind, unsigned set, long event, uint64_t seed);

/* Starts a run without a fault that learns what can have a fault; inject_end ends it. */
void inject_learn(unsigned set);

/* Ends the run. Returns how many launches and copies could have a fault of its kind. */
long inject_end(void);

/* Returns how many launches and copies could have a fault of this kind in the last run that has
 * learned. */
long inject_learned(enum inject_kind kind);

/* inject_is_done returns true if the launch has gone wrong since inject_begin. inject_text
 * describes its kernel and the fault. */
bool inject_is_done(void);
const char *inject_text(void);

/* Returns the next number of a pseudo-random sequence. */
uint64_t inject_random(uint64_t *seed);

#endif
