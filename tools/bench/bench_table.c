/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modes that time operations by size.  Mode table compares columns.  Modes algorithms, check and
 * devices compare settings of the library's options.  Mode smoothness compares neighbouring sizes.
 * Mode crossover finds the size from which the device is faster.  Mode memory measures device
 * memory instead of time. */
#include <math.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tools/bench/bench.h"
#include "tools/tune/tune_search.h"

/* Calls a function for each operation and size, until one returns a status other than 0. */
static int for_each(const struct bench_options *o, struct bench_report *report,
                    int (*measure)(const struct bench_options *o, const struct bench_shape *shape,
                                   uint64_t bits, struct bench_report *report)) {
    int status = 0;
    for (int i = 0; i < o->shape_count && status == 0; i++)
        for (int k = 0; k < o->sizes && status == 0; k++)
            status = measure(o, &o->shapes[i], o->bits[k], report);
    return status;
}

/* ---- columns and settings side by side */

enum { KEEP = -1, ONE, ALL }; /* how many devices share a product; KEEP: as the options say */

static const struct variant {
    const char *mode, *name; /* name: NULL if the column's name suffices */
    int verify, algorithm, devices;
} variants[] = {
    {"table", NULL, KEEP, KEEP, KEEP},
    {"algorithms", "ntt", KEEP, ALGORITHM_NTT, KEEP},
    {"algorithms", "ssa", KEEP, ALGORITHM_SSA, KEEP},
    {"algorithms", "block", KEEP, ALGORITHM_BLOCK, KEEP},
    {"algorithms", "fft", KEEP, ALGORITHM_FFT, KEEP},
    {"algorithms", "auto", KEEP, ALGORITHM_AUTO, KEEP},
    {"check", "verify:off", VERIFY_OFF, KEEP, KEEP},
    {"check", "verify:device", VERIFY_DEVICE, KEEP, KEEP},
    {"devices", "one-device", KEEP, KEEP, ONE},
    {"devices", "all-devices", KEEP, KEEP, ALL},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static struct bench_setting setting_of(const struct variant *v) {
    struct bench_setting s = bench_setting_now();
    s.verify = v->verify == KEEP ? s.verify : v->verify;
    s.algorithm = v->algorithm == KEEP ? s.algorithm : v->algorithm;
    if (v->devices == ONE)
        s.shared = MPGPU_NEVER;
    /* if the option `shared` is set, its value is the least size of products that devices share;
     * otherwise devices share all products */
    if (v->devices == ALL && s.shared == MPGPU_UNSET)
        s.shared = 0;
    return s;
}

static void name_of(const struct variant *v, enum bench_column column, char name[24]) {
    const char *prefix = bench_columns[column].name;
    if (v->algorithm != KEEP)
        snprintf(name, 24, "%s:%s", prefix, v->name);
    else
        snprintf(name, 24, "%s", v->name ? v->name : prefix);
}

/* The candidates of a row of the table, and their figures. */
struct row {
    /* works[0] has its numbers in memory of malloc, works[1] in the library's pool */
    struct bench_work works[2];
    const struct variant *variant[BENCH_MOST_CANDIDATES];
    struct bench_candidate candidate[BENCH_MOST_CANDIDATES];
    struct bench_figure figure[BENCH_MOST_CANDIDATES];
    int count;
};

static double median_of(const struct row *row, enum bench_column column) {
    for (int i = 0; i < row->count; i++)
        if (row->candidate[i].column == column)
            return row->figure[i].time.median;
    return -1;
}

/* Writes two ratios of a row to `note`:  GMP's time divided by the column's time, and the column's
 * time divided by the time of the transfers alone.  The column is the last one whose numbers are on
 * the host (malloc or pool). */
static void note_ratios(const struct row *row, const struct bench_options *o, char note[96]) {
    const char *name = "";
    double host = -1, gmp = median_of(row, BENCH_GMP), link = median_of(row, BENCH_LINK);
    int used = 0;
    for (int i = 0; i < o->column_count; i++)
        if (o->columns[i] == BENCH_MALLOC || o->columns[i] == BENCH_POOL) {
            name = bench_columns[o->columns[i]].name;
            host = median_of(row, o->columns[i]);
        }
    *note = 0;
    if (gmp > 0 && host > 0)
        used = snprintf(note, 96, "  gmp/%s %.2f", name, gmp / host);
    if (link > 0 && host > 0)
        snprintf(note + used, 96 - (size_t)used, "  %s/link %.2f", name, host / link);
}

/* Reports the comparison of two settings: the check's part of the time in per cent, or the time of
 * all devices divided by the time of one. */
static void put_result(const struct row *row, struct bench_report *report) {
    double first = row->figure[0].time.median, second = row->figure[1].time.median;
    bool is_check = row->variant[0]->verify != KEEP, is_done = first > 0 && second > 0;
    double result = !is_done ? -1 : is_check ? 100 * (second - first) / second : second / first;
    bench_report_put(report, is_check ? "check" : "share", is_check ? "percent" : "ratio",
                     bench_value(result, is_done ? row->figure[1].state : BENCH_FAILED));
}

static void measure_row(struct row *row, const struct bench_options *o,
                        const struct bench_shape *shape, struct bench_report *report) {
    char name[24], note[96] = "";
    bench_measure(row->candidate, row->count, &o->budget, row->figure);
    bench_work_row(report, shape, &row->works[0]);
    for (int i = 0; i < row->count; i++) {
        name_of(row->variant[i], row->candidate[i].column, name);
        bench_report_time(report, name, row->figure[i]);
        bench_candidate_close(&row->candidate[i]);
    }
    if (!row->variant[0]->name)
        note_ratios(row, o, note);
    else if (row->variant[0]->algorithm == KEEP)
        put_result(row, report);
    bench_report_print(report, note);
}

static void add_candidates(struct row *row, const struct bench_options *o) {
    for (int k = 0; k < o->column_count; k++)
        for (int i = 0; i < VARIANTS; i++)
            if (strcmp(variants[i].mode, o->mode->name) == 0) {
                row->variant[row->count] = &variants[i];
                bench_candidate_open(&row->candidate[row->count++], o->columns[k],
                                     setting_of(&variants[i]),
                                     &row->works[o->columns[k] == BENCH_POOL]);
            }
}

/* Measures and prints a row.  Returns 2 if memory is short. */
static int row(const struct bench_options *o, const struct bench_shape *shape, uint64_t bits,
               struct bench_report *report) {
    struct row row = {.count = 0};
    if (!bench_work_open(&row.works[0], shape->operation, BENCH_MALLOC, bits, false))
        return 2;
    row.works[1].operation = shape->operation; /* without a device, works[1] has no memory */
    for (int i = 0; i < o->column_count && session_ready() == OUTCOME_DONE; i++)
        if (o->columns[i] == BENCH_POOL)
            bench_work_open(&row.works[1], shape->operation, BENCH_POOL, bits, false);
    for (int i = 0; i < 2; i++)
        bench_work_size(&row.works[i], bits, shape->ratio);
    add_candidates(&row, o);
    measure_row(&row, o, shape, report);
    for (int i = 0; i < 2; i++)
        bench_work_close(&row.works[i]);
    return 0;
}

int bench_table(const struct bench_options *o, struct bench_report *report) {
    unsigned number[SESSION_DEVICES], count = session_devices(number);
    if (strcmp(o->mode->name, "devices") == 0)
        printf("%u device%s\n", count, count == 1 ? "" : "s");
    return for_each(o, report, row);
}

/* ---- mode smoothness: the times of a size and the next one */

/* operands with more than this many limbs on the host are generated only once for each size */
enum { LARGE = 1 << 18 };

/* The times of one operation in one column at growing sizes.  The memory of `work` suffices for the
 * largest size. */
struct curve {
    const struct bench_options *options;
    const struct bench_shape *shape;
    enum bench_column column;
    struct bench_report *report;
    struct bench_work work[2];
    struct bench_figure figure[2];
    int failed;
    /* the highest ratio so far of the times of two neighbouring sizes, and the smaller size */
    double worst;
    uint64_t worst_bits;
};

/* Times each of two columns at its own size. */
static void measure_pair(struct curve *c, const enum bench_column column[2],
                         const uint64_t bits[2]) {
    struct bench_candidate candidate[2];
    for (int i = 0; i < 2; i++) {
        bench_work_size(&c->work[i], bits[i], c->shape->ratio);
        bench_candidate_open(&candidate[i], column[i], bench_setting_now(), &c->work[i]);
        bench_work_fill(&c->work[i]);
        candidate[i].fixed =
            bits[0] != bits[1] && c->work[i].un > LARGE && column[i] != BENCH_DEVICE;
    }
    bench_measure(candidate, 2, &c->options->budget, c->figure);
    for (int i = 0; i < 2; i++)
        bench_candidate_close(&candidate[i]);
}

static void step(struct curve *c, const uint64_t bits[2]) {
    const char *name = bench_columns[c->column].name;
    const enum bench_column columns[2] = {c->column, c->column};
    char text[24];
    measure_pair(c, columns, bits);
    double n = c->figure[0].time.median, next = c->figure[1].time.median;
    bool is_done = n > 0 && next > 0;
    double ratio = is_done ? next / n : -1;
    bench_work_row(c->report, c->shape, &c->work[0]);
    bench_report_time(c->report, name, c->figure[0]);
    snprintf(text, sizeof text, "step-%s", name);
    bench_report_put(c->report, text, "ratio",
                     bench_value(ratio, is_done ? c->figure[1].state : BENCH_FAILED));
    bench_report_print(c->report, "");
    if (ratio > c->worst)
        c->worst = ratio, c->worst_bits = bits[0];
}

/* Returns the next size: at least one bit more. */
static uint64_t next_bits(uint64_t bits, double factor) {
    uint64_t next = (uint64_t)((double)bits * factor);
    return next > bits ? next : bits + 1;
}

static void smooth(struct curve *c) {
    const struct bench_options *o = c->options;
    const uint64_t last = o->bits[o->sizes - 1];
    uint64_t bits[2] = {o->bits[0], 0};
    char text[24];
    for (c->worst = -1; (bits[1] = next_bits(bits[0], o->factor)) <= last; bits[0] = bits[1])
        step(c, bits);
    snprintf(text, sizeof text, "worst-%s", bench_columns[c->column].name);
    bench_report_row(c->report, c->shape->name, c->worst_bits, 0, 0, 0);
    bench_report_put(c->report, text, "ratio",
                     bench_value(c->worst, c->worst > 0 ? BENCH_RIGHT : BENCH_FAILED));
    bench_report_print(c->report, "");
}

static int curves(const struct bench_options *o, struct bench_report *report,
                  void (*run)(struct curve *c)) {
    int failed = 0;
    for (int i = 0; i < o->shape_count; i++)
        for (int k = 0; k < o->column_count; k++) {
            struct curve c = {o, &o->shapes[i], o->columns[k], report, .failed = 0};
            const struct bench_operation *operation = o->shapes[i].operation;
            const uint64_t most = o->bits[o->sizes - 1];
            if (!bench_work_open(&c.work[0], operation, c.column, most, false))
                return 2;
            bool is_open = bench_work_open(&c.work[1], operation, c.column, most, false);
            if (is_open) {
                run(&c);
                bench_work_close(&c.work[1]);
            }
            bench_work_close(&c.work[0]);
            if (!is_open)
                return 2;
            failed |= c.failed;
        }
    return failed;
}

int bench_smoothness(const struct bench_options *o, struct bench_report *report) {
    return curves(o, report, smooth);
}

/* ---- mode crossover: finds the smallest size at which the device is faster, by the search of
 * mpgpu-tune */

static int time_both(void *context, struct tune_point *point) {
    struct curve *c = context;
    const enum bench_column columns[2] = {BENCH_GMP, c->column};
    const uint64_t bits[2] = {point->size * GMP_NUMB_BITS, point->size * GMP_NUMB_BITS};
    measure_pair(c, columns, bits);
    bench_work_row(c->report, c->shape, &c->work[0]);
    for (int i = 0; i < 2; i++) {
        point->seconds[i] = c->figure[i].time.median;
        c->failed |= c->figure[i].state != BENCH_RIGHT;
        bench_report_time(c->report, bench_columns[columns[i]].name, c->figure[i]);
    }
    bench_report_print(c->report, "");
    return c->failed;
}

static void cross(struct curve *c) {
    static struct tune_curve curve;
    const struct bench_options *o = c->options;
    const struct tune_range range = {16, o->bits[o->sizes - 1] / GMP_NUMB_BITS, HUGE_VAL, 32};
    size_t limbs;
    char text[24];
    const char *reason;
    tune_threshold(&range, 0, time_both, c, &curve, &limbs, &reason);
    limbs = limbs == MPGPU_NEVER ? 0 : limbs;
    snprintf(text, sizeof text, "crossover-%s", bench_columns[c->column].name);
    bench_report_row(c->report, c->shape->name, limbs * GMP_NUMB_BITS, 0, 0, 0);
    bench_report_put(c->report, text, "limbs",
                     bench_value((double)limbs, c->failed ? BENCH_FAILED : BENCH_RIGHT));
    bench_report_print(c->report, c->failed ? "  failed" : limbs ? "" : "  never faster");
}

int bench_crossover(const struct bench_options *o, struct bench_report *report) {
    return curves(o, report, cross);
}

/* ---- mode memory: measures how much device memory is in use after an operation. Before the
 * operation all buffers except tables are released. */

static enum gpu_status trim(struct context *s, void *unused) {
    (void)unused;
    enum gpu_status status = gpu_finish(&s->queue);
    context_trim(s);
    return status;
}

static enum gpu_status ask_bytes(struct context *s, void *bytes) {
    *(uint64_t *)bytes = context_bytes(s);
    return GPU_OK;
}

static int measure_memory(const struct bench_options *o, const struct bench_shape *shape,
                          uint64_t bits, struct bench_report *report) {
    struct bench_work w;
    uint64_t bytes = 0;
    char note[64];
    if (!bench_work_open(&w, shape->operation, o->columns[0], bits, false))
        return 2;
    bench_work_size(&w, bits, shape->ratio);
    bench_work_fill(&w);
    bool is_done = session_run(trim, &(int){0}, sizeof(int), 0) == OUTCOME_DONE &&
                   w.operation->library(&w) == 0 &&
                   session_run(ask_bytes, &bytes, sizeof bytes, 0) == OUTCOME_DONE;
    enum bench_state state = is_done ? bench_work_check(&w) : BENCH_FAILED;
    double numbers = (double)(w.un + (w.up == w.vp ? 0 : w.vn) + w.rn) * sizeof(mp_limb_t);
    bench_work_row(report, shape, &w);
    bench_report_put(report, "device-memory", "MiB",
                     bench_value(is_done ? (double)bytes / (1 << 20) : -1, state));
    snprintf(note, sizeof note, "  %.2f times the numbers' %.1f MiB", (double)bytes / numbers,
             numbers / (1 << 20));
    bench_report_print(report, note);
    bench_work_close(&w);
    return 0;
}

int bench_memory_use(const struct bench_options *o, struct bench_report *report) {
    return for_each(o, report, measure_memory);
}
