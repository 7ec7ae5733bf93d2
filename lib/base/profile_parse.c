/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Profiles as text. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/conf_key.h"
#include "lib/base/profile.h"
#include "lib/base/profile_cost.h"

/* A threshold's key. */
struct key {
    /* An array, since the dynamic linker would have to write a pointer at each program's start. */
    char name[8];
    enum { LIMBS, TIMES } kind;
    enum profile_threshold of;
    size_t initial;
};

static const struct key keys[PROFILE_THRESHOLDS] = {
#define THRESHOLD(name, kind, of, initial, what) {#name, kind, PROFILE_##of, initial},
#include "lib/base/profile.def"
#undef THRESHOLD
};

const char *const profile_choice_names[PROFILE_CHOICES] = {"algorithm", "mulmod_algorithm",
                                                           "mulmod_other_algorithm"};

/* The index of each word in this list is the value of profile.cpu that the word stands for. */
static const char cpu_words[] = "any no yes";

void profile_clear(struct profile *p) {
    *p = (struct profile){.cpu = PROFILE_ANY};
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        p->value[i] = MPGPU_UNSET;
}

static bool set_text(char *field, size_t size, const char *value) {
    size_t length = strlen(value);
    if (length == 0 || length >= size)
        return false;
    memcpy(field, value, length + 1);
    return true;
}

/* Parses a step such as "1000 ntt". It must have more limbs than the previous step. */
static bool set_step(struct profile_choice *c, const char *value, struct item_source source) {
    char limbs[32];
    struct profile_step step;
    size_t length = strcspn(value, " \t");
    if (length >= sizeof limbs || c->steps == PROFILE_MOST_STEPS)
        return false;
    snprintf(limbs, sizeof limbs, "%.*s", (int)length, value);
    value += length + strspn(value + length, " \t");
    step.algorithm = conf_key_word_index(conf_keys[CONF_KEY_algorithm].words, value);
    if (!conf_key_parse_limbs(limbs, &step.limbs) || step.limbs >= MPGPU_UNSET ||
        step.algorithm < 0)
        return false;
    if (c->steps && step.limbs <= c->step[c->steps - 1].limbs)
        return false;
    c->step[c->steps++] = step;
    c->source = (struct item_source){source.name, 0};
    return true;
}

/* Parses a number such as "4" or "4.2" into tenths, at least 1. Also accepts `never` and `auto`. */
static bool parse_times(const char *text, size_t *tenths) {
    char whole[32];
    size_t length = strcspn(text, "."), value, tenth = 0;
    if (length >= sizeof whole)
        return false;
    snprintf(whole, sizeof whole, "%.*s", (int)length, text);
    if (!conf_key_parse_limbs(whole, &value))
        return false;
    if (text[length]) {
        if (value >= MPGPU_UNSET || !isdigit((unsigned char)text[length + 1]) || text[length + 2])
            return false;
        tenth = (size_t)(text[length + 1] - '0');
    }
    if (value < MPGPU_UNSET && value > (MPGPU_UNSET - 10) / 10)
        return false;
    *tenths = value < MPGPU_UNSET ? 10 * value + tenth : value;
    return *tenths > 0;
}

static void times_text(size_t tenths, char *text, size_t size) {
    if (tenths >= MPGPU_UNSET)
        conf_key_print_limbs(tenths, text, size);
    else if (tenths % 10)
        snprintf(text, size, "%zu.%zu", tenths / 10, tenths % 10);
    else
        snprintf(text, size, "%zu", tenths / 10);
}

static bool set_threshold(struct profile *p, enum profile_threshold which, const char *value,
                          struct item_source source) {
    size_t size;
    if (!(keys[which].kind == TIMES ? parse_times : conf_key_parse_limbs)(value, &size))
        return false;
    p->value[which] = size;
    p->source[which] = source;
    return true;
}

static bool set_cpu(struct profile *p, const char *value) {
    int index = conf_key_word_index(cpu_words, value);
    if (index >= 0)
        p->cpu = index;
    return index >= 0;
}

static int find(const char *name) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (strcmp(keys[i].name, name) == 0)
            return i;
    return -1;
}

static int find_among(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int take(void *context, const char *key, const char *value, struct item_source source) {
    struct profile *p = context;
    const char *help = "a text that is not too long";
    int done, which = find(key), choice = find_among(profile_choice_names, PROFILE_CHOICES, key),
              cost = find_among(profile_cost_names, PROFILE_COSTS, key);
    if (which >= 0) {
        done = set_threshold(p, which, value, source);
        help = keys[which].kind == TIMES ? "how many times, as 4 or 4.2, or never"
                                         : "a number of limbs, or never";
    } else if (choice >= 0) {
        done = set_step(&p->choice[choice], value, source);
        help = "a number of limbs, above the last one's, and an algorithm";
    } else if (cost >= 0) {
        done = profile_cost_set(&p->cost[cost], value, source);
        help = "a number of limbs, above the last one's, and nanoseconds";
    } else if (strcmp(key, "backend") == 0) {
        done = set_text(p->backend, sizeof p->backend, value);
    } else if (strcmp(key, "device") == 0) {
        done = set_text(p->device, sizeof p->device, value);
    } else if (strcmp(key, "vendor") == 0) {
        done = set_text(p->vendor, sizeof p->vendor, value);
    } else if (strcmp(key, "cpu") == 0) {
        done = set_cpu(p, value);
        help = "any, no or yes";
    } else {
        return items_unknown_key(source, key);
    }
    return done ? 0 : items_bad_value(source, key, value, help);
}

int profile_parse(char *text, const char *name, struct profile *p) {
    return items_of_file(text, name, take, p);
}

static void write_match(FILE *file, const char *key, const char *value) {
    if (*value)
        fprintf(file, "%s: %s\n", key, value);
}

/* Writes "1000 ntt". */
static void step_text(const struct profile_step *step, char *text, size_t size) {
    char word[16];
    conf_key_word_at(conf_keys[CONF_KEY_algorithm].words, step->algorithm, word, sizeof word);
    snprintf(text, size, "%zu %s", step->limbs, word);
}

void profile_write(FILE *file, const struct profile *p) {
    char text[64];
    write_match(file, "backend", p->backend);
    write_match(file, "device", p->device);
    write_match(file, "vendor", p->vendor);
    if (p->cpu != PROFILE_ANY) {
        conf_key_word_at(cpu_words, p->cpu, text, sizeof text);
        write_match(file, "cpu", text);
    }
    for (int i = 0; i < PROFILE_THRESHOLDS; i++) {
        (keys[i].kind == TIMES ? times_text : conf_key_print_limbs)(p->value[i], text, sizeof text);
        if (p->value[i] != MPGPU_UNSET)
            write_match(file, keys[i].name, text);
    }
    for (int k = 0; k < PROFILE_CHOICES; k++)
        for (int i = 0; i < p->choice[k].steps; i++) {
            step_text(&p->choice[k].step[i], text, sizeof text);
            write_match(file, profile_choice_names[k], text);
        }
    for (int k = 0; k < PROFILE_COSTS; k++)
        for (int i = 0; i < p->cost[k].steps; i++) {
            profile_cost_text(&p->cost[k].step[i], text, sizeof text);
            write_match(file, profile_cost_names[k], text);
        }
}

size_t profile_limbs(const struct profile *p, enum profile_threshold which) {
    size_t value = p->value[which] == MPGPU_UNSET ? keys[which].initial : p->value[which];
    if (keys[which].kind == LIMBS || value == MPGPU_NEVER)
        return value;
    size_t of = profile_limbs(p, keys[which].of), limbs, least = keys[which].initial / 10;
    if (of >= MPGPU_UNSET || __builtin_mul_overflow(value, of, &limbs))
        return MPGPU_NEVER;
    limbs = limbs / 10 + (limbs % 10 != 0);
    return limbs < least ? least : limbs;
}

/* Writes the meaning of a value, as "800 limbs" or "4 times mul, 3200 limbs". */
static void value_text(const struct profile *p, enum profile_threshold which, char *text,
                       size_t size) {
    size_t limbs = profile_limbs(p, which);
    char times[32];
    times_text(p->value[which], times, sizeof times);
    if (p->value[which] == MPGPU_NEVER)
        snprintf(text, size, "never");
    else if (keys[which].kind == LIMBS)
        snprintf(text, size, "%zu limbs", limbs);
    else if (limbs == MPGPU_NEVER)
        snprintf(text, size, "%s times %s, never", times, keys[keys[which].of].name);
    else
        snprintf(text, size, "%s times %s, %zu limbs", times, keys[keys[which].of].name, limbs);
}

void profile_print(const struct profile *p, void (*line)(const char *format, ...)) {
    char text[80], source[4200];
    for (int i = 0; i < PROFILE_THRESHOLDS; i++) {
        if (p->value[i] == MPGPU_UNSET)
            continue;
        value_text(p, i, text, sizeof text);
        items_describe(p->source[i], source, sizeof source);
        line("%s: %s (%s)", keys[i].name, text, source);
    }
    for (int k = 0; k < PROFILE_CHOICES; k++) {
        items_describe(p->choice[k].source, source, sizeof source);
        for (int i = 0; i < p->choice[k].steps; i++) {
            step_text(&p->choice[k].step[i], text, sizeof text);
            line("%s: %s (%s)", profile_choice_names[k], text, source);
        }
    }
    for (int k = 0; k < PROFILE_COSTS; k++) {
        items_describe(p->cost[k].source, source, sizeof source);
        for (int i = 0; i < p->cost[k].steps; i++) {
            profile_cost_text(&p->cost[k].step[i], text, sizeof text);
            line("%s: %s ns (%s)", profile_cost_names[k], text, source);
        }
    }
}

int profile_algorithm(const struct profile *p, enum profile_choices which, size_t limbs) {
    while (which > PROFILE_PRODUCTS && p->choice[which].steps == 0)
        which--;
    const struct profile_choice *c = &p->choice[which];
    int algorithm = ALGORITHM_AUTO;
    for (int i = 0; i < c->steps && c->step[i].limbs <= limbs; i++)
        algorithm = c->step[i].algorithm;
    return algorithm;
}
