/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-tune: measures the sizes from which a device is faster than GMP, and writes its profile.
 * Exit status: 0; 1 if a result is wrong, the device fails or the file cannot be written; 2 for
 * wrong arguments; 3 if there is no device. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/build/own_process.h"
#include "lib/base/conf_key.h"
#include "lib/session/session.h"
#include "tools/output.h"
#include "tools/tune/tune.h"

enum { DONE, FAILED, WRONG_ARGUMENTS, NO_DEVICE };

static struct tuner tuner;
static struct gpu_device device;

/* ---- arguments */

static const struct option long_options[] = {
    {"quick", no_argument, NULL, 'q'},         {"backend", required_argument, NULL, 'b'},
    {"device", required_argument, NULL, 'd'},  {"output", required_argument, NULL, 'o'},
    {"seconds", required_argument, NULL, 's'}, {"dry-run", no_argument, NULL, 'n'},
    {"verbose", no_argument, NULL, 'v'},       {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},       {NULL, 0, NULL, 0}};

static void print_help(void) {
    puts("Usage: mpgpu-tune [OPTION]...\n"
         "Measure the sizes from which a device is faster than GMP, and write them to a profile\n"
         "that programs read afterwards. The machine should have no other load.\n\n"
         "  -q, --quick         a few measurements, in seconds rather than a minute\n"
         "  -b, --backend NAME  cuda, opencl\n"
         "  -d, --device NAME   a number, or a part of its name\n"
         "  -o, --output FILE   instead of a file in the user's folder of profiles\n"
         "  -s, --seconds N     search for so long; a value not found by then is not written\n"
         "  -n, --dry-run       print the profile, write nothing\n"
         "  -v, --verbose       print every measurement\n"
         "      --help, --version");
}

static int set_conf(enum conf_key_index index, const char *value) {
    const struct conf_key *key = &conf_keys[index];
    if (conf_key_set(key, &mpgpu_conf, value)) {
        mpgpu_conf.source[index] = (struct item_source){"mpgpu-tune", 0};
        return -1;
    }
    fprintf(stderr, "mpgpu-tune: bad value \"%s\" for --%s: it takes %s\n", value, key->name,
            key->help);
    return 2;
}

static int set_seconds(const char *value, struct tune_options *options) {
    char *end;
    options->seconds = strtod(value, &end);
    if (end != value && *end == 0 && options->seconds > 0 && isfinite(options->seconds))
        return -1;
    fprintf(stderr, "mpgpu-tune: bad value \"%s\" for --seconds: it takes a number above 0\n",
            value);
    return 2;
}

static int take(int option, struct tune_options *options) {
    switch (option) {
    case 'q':
        options->quick = true;
        return -1;
    case 'b':
        return set_conf(CONF_KEY_backend, optarg);
    case 'd':
        return set_conf(CONF_KEY_device, optarg);
    case 'o':
        options->output = optarg;
        return -1;
    case 's':
        return set_seconds(optarg, options);
    case 'n':
        options->dry_run = true;
        return -1;
    case 'v':
        options->verbose = true;
        return -1;
    case 'h':
        print_help();
        return 0;
    case 'V':
        printf("mpgpu-tune (mpgpu-gmp) %s\n", PACKAGE_VERSION);
        return 0;
    }
    fprintf(stderr, "mpgpu-tune --help lists the options\n");
    return 2;
}

/* Reads the arguments.  Stores the backend and the device in mpgpu_conf.  Returns -1 to continue,
 * otherwise the exit status. */
static int parse_arguments(int argc, char **argv, struct tune_options *options) {
    int option, status = -1;
    *options = (struct tune_options){0};
    while (status < 0 && (option = getopt_long(argc, argv, "qb:d:o:s:nv", long_options, NULL)) >= 0)
        status = take(option, options);
    if (status < 0 && optind < argc) {
        fprintf(stderr, "mpgpu-tune: unknown argument %s (mpgpu-tune --help lists them)\n",
                argv[optind]);
        status = 2;
    }
    return status;
}

/* ---- the device and its profile */

static bool open_device(void) {
    char text[512];
    struct profile before;
    mpgpu_conf.open = OPEN_WAIT;
    mpgpu_conf.dispatch = DISPATCH_FIXED;
    session_open_any();
    session_init();
    own_process_begin();
    bool ready = session_profile(&device, &before) == OUTCOME_DONE;
    session_describe(text, sizeof text);
    if (ready)
        printf("%s\n", text);
    else
        fprintf(stderr, "mpgpu-tune: there is no device to tune for: %s\n", text);
    return ready;
}

/* Begins an empty profile for devices with this backend and name. */
static void begin_profile(struct profile *p) {
    profile_clear(p);
    snprintf(p->backend, sizeof p->backend, "%s", device.backend->name);
    tuner.has_doubles = device.caps.doubles;
    p->cpu = device.caps.is_cpu ? PROFILE_CPU : PROFILE_NO_CPU;
    snprintf(p->device, sizeof p->device, "%s", device.caps.name);
}

/* Finds the file's path and checks that it can be written, because the measurements take a minute
 * or more. */
static bool prepare_file(char *path, size_t size) {
    const char *backend = tuner.profile.backend;
    if (tuner.options.dry_run)
        return true;
    if (!tune_file_path(tuner.options.output, backend, &device.caps, path, size)) {
        fprintf(stderr, "mpgpu-tune: there is no folder for profiles: give --output FILE\n");
        return false;
    }
    if (tune_file_can_write(path, !tuner.options.output))
        return true;
    fprintf(stderr, "mpgpu-tune: %s: %s\n", path, strerror(errno));
    return false;
}

/* Writes the profile to the file.  If that fails, prints the profile, so that the values are not
 * lost. */
static int write_profile(const char *path) {
    const struct profile *p = &tuner.profile;
    if (tuner.options.dry_run) {
        tune_file_print(stdout, p, &device.caps);
        return DONE;
    }
    if (tune_file_write(path, p, &device.caps)) {
        printf("written to %s\n", path);
        return DONE;
    }
    fprintf(stderr, "mpgpu-tune: %s: %s\n", path,
            errno ? strerror(errno) : "what was read is not what was written");
    tune_file_print(stdout, p, &device.caps);
    return FAILED;
}

int main(int argc, char **argv) {
    char path[4096] = "";
    conf_init();
    mpgpu_conf.server = SERVER_OFF; /* profiles are measured without a server in between */
    int status = parse_arguments(argc, argv, &tuner.options);
    if (status >= 0)
        return output_end("mpgpu-tune", status, FAILED);
    if (!open_device())
        return NO_DEVICE;
    begin_profile(&tuner.profile);
    if (!prepare_file(path, sizeof path))
        return FAILED;
    status = tuner_find(&tuner);
    status = status ? status : tuner_verify(&tuner);
    status = status ? status : write_profile(path);
    return output_end("mpgpu-tune", status, FAILED);
}
