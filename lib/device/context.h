/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The context of one queue: what an operation works with on the device.  There is one for each
 * stream (lib/session/streams.h), and one operation at a time uses it. */
#ifndef MPGPU_CONTEXT_H
#define MPGPU_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/base/profile.h"
#include "lib/process/hold.h"

/* Device buffers that are kept from one operation to the next. */
enum context_slot {
    SLOT_TABLES, /* constants of the transforms */
    SLOT_U,      /* operands */
    SLOT_V,
    SLOT_R,                            /* result */
    SLOT_STAGED_U,                     /* numbers of batches in host memory, of eight operands */
    SLOT_STAGED_R = SLOT_STAGED_U + 8, /* and three results */
    SLOT_ADDEND = SLOT_STAGED_R + 3,   /* what it held before, and is to be added */
    SLOT_PART,                         /* a product of parts, to be added to the result */
    SLOT_WORK, /* transforms: of the piece at hand, of parts that are kept, */
    SLOT_KEPT,
    SLOT_WINDOW,   /* and of pieces */
    SLOT_FLAGS,    /* carries between work-groups */
    SLOT_SETTLE,   /* how many of these have come (kernels/common/carry_settle.h) */
    SLOT_VERDICT,  /* of checks of batches (lib/device/verdict.h) */
    SLOT_RESIDUES, /* for checks, and what else kernels answer (lib/device/answers.h) */
    SLOT_SMALL,    /* what a small product is made in */
    SLOT_DIRECT,   /* its operands and result, where kernels don't see the host's memory */
    SLOT_ROOTS,    /* of unity, for floating-point transforms (lib/fft/fft_tables.h) */
    SLOT_FFT,      /* such a transform between two passes */
    SLOT_CALC,     /* numbers of a composite operation (lib/calc/calc.h) */
    SLOT_FACTOR_0, /* transforms of factors that it uses again (lib/calc/calc_factor.h) */
    SLOT_FACTOR_1,
    SLOT_SHARE,      /* a product that other devices read (lib/operate/shares/product_share.h) */
    SLOT_LENT,       /* and operands, or a part of one, that they read */
    SLOT_EXPRESSION, /* what lies between operands and results (lib/expression/expression.h) */
    SLOT_EXPRESSION_LAST = SLOT_EXPRESSION + 7,
    SLOT_COUNT
};

/* A modulus m of checks, odd and below 2^61, with 1/m mod 2^64 and 2^64 mod m. */
struct check_modulus {
    uint64_t m, minv, one;
};

/* An operand on its way: {mem + at, words}, of which `here` have come (lib/device/uploads.h); of
 * one that two devices bring, this one's half is on its way (lib/calc/calc_lend.c). */
struct upload {
    gpu_mem mem;
    uint64_t at, words, here;
    const void *host;
    bool half_begun;
};

#define UPLOADS_MOST 8 /* of an operation */

/* The owners of states that live as long as a context (context_state). */
enum context_owner {
    OWNER_PLANS,       /* lib/calc/calc_mul.c */
    OWNER_EXPRESSIONS, /* lib/expression/expression_fused.c */
    OWNER_ROOTS,       /* lib/fft/fft_tables.c */
    OWNER_COUNT
};

/* The most devices that a program has open. */
enum { CONTEXT_DEVICES = 16 };

struct context {
    struct gpu_device dev;
    unsigned number;        /* of the device among those of the program */
    struct hold *hold;      /* on the memory of its caller */
    int shares_device;      /* with the first stream's context, which opened it */
    bool is_adopted;        /* its device was open before, and stays so */
    struct profile profile; /* what counts for this device */
    struct gpu_queue queue;
    struct {
        gpu_mem mem;
        size_t bytes, used; /* the latter by operations since it was cleared */
        bool is_ready;      /* its owner has filled it since it was allocated */
    } slot[SLOT_COUNT];
    atomic_bool keeps_share; /* SLOT_SHARE and SLOT_LENT are not to be released */
    int failed;              /* a known answer was wrong: the device is left alone */
    int tight;               /* plans are to do with 2^-tight of the memory */
    /* The kernels that have given known answers, a bit each (lib/selftest/known_answer.h). Programs
     * that share the device share these words (context_learn, context_tell). */
    uint64_t known[GPU_KNOWN];
    uint64_t told[GPU_KNOWN];  /* of them, to other programs */
    struct transfer *transfer; /* lib/transfer/transfer.h */
    struct upload upload[UPLOADS_MOST];
    unsigned upload_count;
    struct check_modulus modulus; /* a random one, with the tables (lib/device/tables.c) */
    struct far_block *far;        /* jobs for the device's process (lib/job/far_job.h), or NULL */
    struct gpu_sent sent;         /* the job that is under way there */
    double seconds;               /* it may take without progress; 0: any time */
    uint32_t failed_there;        /* devices of that process that have failed (gpu_caps.jobs) */
    unsigned small_slots;         /* products at once that SLOT_SMALL has room for; 0: one */
    unsigned mulmod_answer;       /* the entry that says whether a product in a ring is reduced */
    struct direct *direct;        /* slots of small products (lib/multiply/direct.h), or NULL */
    gpu_mem direct_view;          /* of them by kernels, or none */
    void *state[OWNER_COUNT];     /* context_state */
    struct {
        uint64_t *host; /* page-locked, or NULL */
        gpu_mem view;   /* of it by kernels, or none */
        bool in_series; /* answers_in_series */
    } answers;          /* lib/device/answers.h */
    struct {
        uint32_t value, errors; /* of the words on the device if all is right */
    } verdict;                  /* lib/device/verdict.h */
    struct kept_work
        *kept; /* residues that the operation has to find (lib/device/kept.h), or NULL */
};

/* A buffer of at least `bytes` in a slot; the old content is lost when it has
 * to grow. */
enum gpu_status context_buffer(struct context *s, enum context_slot slot, size_t bytes,
                               gpu_mem *memp);

/* Device memory outside of the slots, which counts for the option `memory` too.  It is cleared
 * before it is released, as slots are, where the option `clear` asks for it. */
enum gpu_status context_alloc(struct context *s, size_t bytes, gpu_mem *memp);
void context_release(struct context *s, gpu_mem mem, size_t bytes);

/* Counts memory as in use, unless the option `memory`, the control group or the device forbids so
 * much: then context_reserve returns false.  Another process allocates it. */
bool context_reserve(const struct context *s, size_t bytes);
void context_unreserve(const struct context *s, size_t bytes);

/* Bytes of memory in use on device `number`, by all its contexts. */
uint64_t context_in_use(unsigned number);

/* Bytes in all slots. */
uint64_t context_bytes(const struct context *s);

/* Clear what operations have left in slots, all but the tables.  Put into the queue. */
enum gpu_status context_clear(struct context *s);

/* Takes over what other programs that share the device know of its kernels, and tells them what
 * this context has found out. */
void context_learn(struct context *s);
void context_tell(struct context *s);

/* Returns true if the device runs jobs in its own process. */
static inline bool context_runs_jobs(const struct context *s) {
    return s->dev.caps.jobs != 0;
}

/* Release every slot but SLOT_TABLES, SLOT_SMALL and SLOT_VERDICT, which are small, and SLOT_SHARE
 * and SLOT_LENT while they are kept. */
void context_trim(struct context *s);

/* Release every slot. */
void context_empty(struct context *s);

/* Returns the owner's state, `bytes` bytes: zeros at first, freed by context_close.  Only the owner
 * reads and writes it.  NULL if there is no memory. */
void *context_state(struct context *s, enum context_owner owner, size_t bytes);

/* Releases every slot and the states. */
void context_close(struct context *s);

#endif
