/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real backend in which one launch goes wrong, as on a faulty device or
 * driver, but no function returns an error. */
#ifndef MPGPU_TEST_INJECT_BACKEND_H
#define MPGPU_TEST_INJECT_BACKEND_H

#include "gpu/gpu.h"

enum inject_kind {
    INJECT_LOST,     /* the launch is skipped */
    INJECT_LOST_ON,  /* the launch and all later ones are skipped, until inject_end */
    INJECT_REPEATED, /* the launch is issued twice */
    INJECT_DELAYED,  /* the launch is issued after some later launches */
    /* the launch gets the arguments of the same kernel's previous launch; if there is none, it is
     * skipped */
    INJECT_OLD_ARGUMENTS,
    INJECT_CONSTANT,   /* among the launch's arguments, a set bit of a number is cleared, or all */
    INJECT_OLD_MEMORY, /* a part of what the launch has written gets its old content again */
    INJECT_LOST_ZERO,  /* a request to fill device memory with zeros is skipped */
    /* In the four kinds *_BIT below, a bit of a buffer changes before the launch. Since the host
     * last wrote to this buffer, an earlier launch has used it. */
    INJECT_OPERAND_BIT, /* the host wrote the buffer in this run */
    /* nothing wrote the buffer in this run; for example a table, or an operand that stays on the
     * device */
    INJECT_TABLE_BIT,
    INJECT_SCRATCH_BIT, /* a launch wrote the buffer, and the host does not download it */
    INJECT_RESULT_BIT,  /* a launch wrote the buffer, and the host downloads it later in this run */
    /* The kinds below are only for operations whose check also covers uploads and downloads. */
    /* before a launch that is the first to use a buffer, a bit of its uploaded data changes */
    INJECT_UPLOAD_BIT,
    INJECT_LOST_UPLOAD,   /* the copy to the device is skipped */
    INJECT_DOWNLOAD_BIT,  /* just before the copy to the host, a bit of the device's data changes */
    INJECT_LOST_DOWNLOAD, /* the copy from the device is skipped */
    /* the launch is issued again after some later launches, perhaps after the check and before the
     * download */
    INJECT_REPEATED_LATE,
    INJECT_KINDS
};
extern const char *const inject_names[INJECT_KINDS];

/* A backend that makes one launch of the backend `real` go wrong; inject_use sets `real`. The first
 * device of `real` is opened once and stays open. */
extern struct gpu_backend inject_backend;
void inject_use(const struct gpu_backend *real);

/* If true, later sessions find no device. */
extern bool inject_is_absent;

/* If false, a delayed launch is issued at the latest before the next launch of a check or the next
 * copy to the host. If true, it may be issued after the check or the copy, so that no check covers
 * it. */
extern bool inject_after_checks;

/* Starts a run with a fault of this kind, on operand set `set`. Of the launches and copies that can
 * have the fault, number `event` (from 1) gets it; 0: none gets it. `seed` chooses the changed
 * bit. */
void inject_begin(enum inject_kind kind, unsigned set, long event, uint64_t seed);

/* Starts a run without a fault, which records the launches and copies that can have one. inject_end
 * ends the run. */
void inject_learn(unsigned set);

/* Ends the run. Returns how many of its launches and copies could have had a fault of its kind. */
long inject_end(void);

/* Returns how many launches and copies could have had a fault of this kind in the last run that
 * inject_learn started. */
long inject_learned(enum inject_kind kind);

/* inject_is_done returns true if the fault has happened since inject_begin. inject_text describes
 * the fault and the kernel of its launch. */
bool inject_is_done(void);
const char *inject_text(void);

/* Returns the next number of a pseudo-random sequence and updates its state *seed. */
uint64_t inject_random(uint64_t *seed);

#endif
