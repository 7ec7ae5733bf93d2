/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The context of one queue: the device resources of an operation. Each stream has one
 * (lib/session/streams.h), and one operation at a time uses it. */
#ifndef MPGPU_CONTEXT_H
#define MPGPU_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/base/profile.h"
#include "lib/process/lease.h"

/* The slots: device buffers that are kept from one operation to the next. */
enum context_slot {
    SLOT_TABLES, /* constants of the transforms */
    SLOT_U,      /* operands */
    SLOT_V,
    SLOT_R,        /* result */
    SLOT_STAGED_U, /* device copies of up to eight operands of a batch that are in host memory */
    SLOT_STAGED_R = SLOT_STAGED_U + 8, /* three results */
    /* Previous content of the result, to which an operation adds. */
    SLOT_ADDEND = SLOT_STAGED_R + 3,
    SLOT_PART, /* a product of parts of operands, to be added to the result */
    SLOT_WORK, /* transform of the current piece of a long operand */
    SLOT_KEPT,
    SLOT_WINDOW,  /* transforms of several pieces of a long operand */
    SLOT_FLAGS,   /* carries between work-groups */
    SLOT_RESOLVE, /* counter for kernels that resolve their carries (kernels/common/carry_resolve.h)
                   */
    SLOT_VERDICT, /* the result of a check of batches (lib/device/verdict.h) */
    SLOT_RESIDUES, /* residues for checks, and other answers of kernels (lib/device/answers.h) */
    SLOT_SMALL,    /* working memory of a small product */
    SLOT_DIRECT,   /* operands and result of a small product, if kernels cannot access the host's
                      memory */
    SLOT_ROOTS,    /* roots of unity for floating-point transforms (lib/fft/fft_tables.h) */
    SLOT_FFT,      /* a floating-point transform between two passes */
    SLOT_CALC,     /* numbers of a composite operation (lib/calc/calc.h) */
    SLOT_FACTOR_0, /* transforms of factors that are used again (lib/calc/calc_factor.h) */
    SLOT_FACTOR_1,
    SLOT_SHARD,      /* a product that other devices read (lib/operate/shards/product_shard.h) */
    SLOT_BROADCAST,  /* operands that other devices copy, wholly or in part */
    SLOT_EXPRESSION, /* intermediate values of an expression (lib/expression/expression.h) */
    SLOT_EXPRESSION_LAST = SLOT_EXPRESSION + 7,
    SLOT_COUNT
};

/* A modulus m of checks, odd and below 2^61, with 1/m mod 2^64 and 2^64 mod m. */
struct check_modulus {
    uint64_t m, minv, one;
};

/* An upload that is not complete: {mem + at, words}, of which `here` words are on the device
 * (lib/device/uploads.h). half_begun: two devices upload a half each, and this device has begun its
 * half (lib/calc/calc_broadcast.c). */
struct upload {
    gpu_mem mem;
    uint64_t at, words, here;
    const void *host;
    bool half_begun;
};

#define UPLOADS_MOST 8 /* of one operation */

/* The files that store data of their own in a context (context_state). */
enum context_owner {
    OWNER_PLANS,       /* lib/calc/calc_mul.c */
    OWNER_EXPRESSIONS, /* lib/expression/expression_fused.c */
    OWNER_ROOTS,       /* lib/fft/fft_tables.c */
    OWNER_COUNT
};

/* The most devices of a program. */
enum { CONTEXT_DEVICES = 16 };

/* The words of the set of verified kernels. */
enum { CONTEXT_KNOWN = 24 };

struct context {
    struct gpu_device dev;
    unsigned number;     /* index of the device in the program's list */
    struct lease *lease; /* guards the caller's memory, which the job uses (lib/process/lease.h) */
    /* Set in the contexts of further streams and of small products, whose device the first stream's
     * context has opened. */
    int shards_device;
    /* Set if the device was open before this context: closing the context leaves the device
     * open. */
    bool is_adopted;
    struct profile profile; /* thresholds and algorithms in force for this device */
    struct gpu_queue queue;
    struct {
        gpu_mem mem;
        size_t bytes, used; /* used: bytes requested since the slot was cleared */
        bool is_ready;      /* the slot's owner has filled the slot since its allocation */
    } slot[SLOT_COUNT];
    atomic_bool keeps_shard; /* SLOT_SHARD and SLOT_BROADCAST must not be released */
    int failed;              /* a known-answer test failed: the device is not used any more */
    int tight;               /* plans may use only 1 / 2^tight of the device's memory */
    /* Kernels verified by known-answer tests, a bit each (lib/selftest/known_answer.h). */
    uint64_t known[CONTEXT_KNOWN];
    struct transfer *transfer; /* lib/transfer/transfer.h */
    struct upload upload[UPLOADS_MOST];
    unsigned upload_count;
    /* Random modulus of all checks; set when the tables are filled (lib/device/tables.c). */
    struct check_modulus modulus;
    struct far_block *far; /* sends jobs to the process that owns the device (lib/job/far_job.h) */
    struct gpu_sent sent;  /* the job that the process owning the device runs now */
    /* Longest time, in seconds, that a job may take without progress; 0: no limit. */
    double seconds;
    /* Bits (gpu_caps.jobs) of devices that failed in the process that runs this context's jobs. */
    uint32_t failed_there;
    /* Number of small products that SLOT_SMALL has room for at once; 0: one. */
    unsigned small_slots;
    /* Index of the answer (lib/device/answers.h) of the next product modulo B^n - 1 or B^n + 1 (B =
     * 2^64). */
    unsigned mulmod_answer;
    /* Index of the answer to which the next fft product writes how far its coefficients are from
     * integers; 0: ANSWER_DOUBT. */
    unsigned doubt_answer;
    struct direct *direct;    /* slots of small products (lib/multiply/direct.h), or NULL */
    gpu_mem direct_view;      /* memory object by which kernels access `direct`, or none */
    void *state[OWNER_COUNT]; /* context_state */
    struct {
        uint64_t *host; /* page-locked, or NULL */
        gpu_mem view;   /* memory object by which kernels access `host`, or none */
        bool in_series; /* answers_in_series */
    } answers;          /* lib/device/answers.h */
    struct {
        /* The values that the first two words of SLOT_VERDICT have on the device if all checks so
         * far were good. */
        uint32_t value, errors;
    } verdict; /* lib/device/verdict.h */
    struct kept_work
        *kept; /* residues that the operation must compute (lib/device/kept.h), or NULL */
};

/* Sets *memp to the buffer of a slot, enlarged to at least `bytes`. If the buffer must grow, its
 * old content is lost. */
enum gpu_status context_buffer(struct context *s, enum context_slot slot, size_t bytes,
                               gpu_mem *memp);

/* Allocate and release device memory outside of the slots. This memory counts for the option
 * `memory`, too. Like the slots, it is cleared before release if the option `clear` asks for it. */
enum gpu_status context_alloc(struct context *s, size_t bytes, gpu_mem *memp);
void context_release(struct context *s, gpu_mem mem, size_t bytes);

/* Counts `bytes` of device memory as in use, without allocating it. Returns false if the option
 * `memory`, the control group or the device does not allow it. It may also count memory that
 * another process allocates. */
bool context_reserve(const struct context *s, size_t bytes);
void context_unreserve(const struct context *s, size_t bytes);

/* Returns the bytes in use on device `number`, by all its contexts. */
uint64_t context_in_use(unsigned number);

/* Returns the bytes of the buffers in all slots. */
uint64_t context_bytes(const struct context *s);

/* Queues commands that clear what operations have left in the slots, except for the tables and the
 * roots of unity. */
enum gpu_status context_clear(struct context *s);

/* Returns true if the device is in another process and runs jobs there. */
static inline bool context_runs_jobs(const struct context *s) {
    return s->dev.caps.jobs != 0;
}

/* Releases every slot except the small ones: SLOT_TABLES, SLOT_SMALL, SLOT_RESOLVE and
 * SLOT_VERDICT. Keeps SLOT_SHARD and SLOT_BROADCAST while keeps_shard is set. */
void context_trim(struct context *s);

/* Releases every slot, except SLOT_SHARD and SLOT_BROADCAST while keeps_shard is set. */
void context_empty(struct context *s);

/* Returns the owner's data in this context: `bytes` bytes, initially zero, freed by context_close.
 * Only the owner uses them. Returns NULL if memory is missing. */
void *context_state(struct context *s, enum context_owner owner, size_t bytes);

/* Does the same as context_empty, and frees all data of owners (context_state). */
void context_close(struct context *s);

#endif
