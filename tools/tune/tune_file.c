/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes the file of a profile, completely or not at all. */
#include "config.h"

#include "tools/tune/tune.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpu/folder.h"
#include "tools/libgmp.h"

/* Returns true if `path` names a file rather than a folder: it exists as a file, or its name ends
 * in .profile. */
static bool is_file(const char *path) {
    static const char ending[] = ".profile";
    struct stat status;
    size_t length = strlen(path);
    if (stat(path, &status) == 0)
        return S_ISREG(status.st_mode);
    return length >= sizeof ending && strcmp(path + length + 1 - sizeof ending, ending) == 0;
}

bool tune_file_path(const char *output, const char *backend, const struct gpu_caps *caps,
                    char *path, size_t size) {
    if (!output && *mpgpu_conf.profile && !is_file(mpgpu_conf.profile))
        return profile_path(mpgpu_conf.profile, backend, caps, path, size);
    int length = snprintf(path, size, "%s", output ? output : mpgpu_conf.profile);
    return length > 0 && (size_t)length < size;
}

static const char *inner_calls(int answer) {
    return answer > 0 ? "can be intercepted" : answer == 0 ? "cannot be intercepted" : "unknown";
}

void tune_file_print(FILE *file, const struct profile *p, const struct gpu_caps *caps) {
    struct libgmp gmp = libgmp_loaded();
    time_t now = time(NULL);
    char date[32] = "";
    struct tm tm;
    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &tm);
    fprintf(file, "# Profile for mpgpu-gmp, written by mpgpu-tune %s\n", PACKAGE_VERSION);
    fprintf(file, "# date: %s\n", date);
    fprintf(file, "# device: %s, %u compute units\n", caps->name, caps->compute_units);
    fprintf(file, "# driver: %s, %s\n", caps->vendor, caps->driver);
    fprintf(file, "# host: %ld CPUs\n", sysconf(_SC_NPROCESSORS_ONLN));
    fprintf(file, "# GMP: %s, whose inner calls %s\n", gmp.version, inner_calls(gmp.inner_calls));
    profile_write(file, p);
}

/* Creates a file with an unpredictable name next to `path`.  Writes the name to {other, size}. */
static FILE *create_other(const char *path, char *other, size_t size) {
    int length = snprintf(other, size, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= size) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    int file = mkstemp(other);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

static bool write_all(FILE *file, const struct profile *p, const struct gpu_caps *caps) {
    tune_file_print(file, p, caps);
    bool done = !ferror(file) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && done;
}

/* Returns the profile as a text, which the caller frees; NULL without memory. */
static char *text_of(const struct profile *p) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    profile_write(file, p);
    fclose(file);
    return text;
}

/* Reads the file.  Returns true if it has the values of the profile. */
static bool is_same(const char *path, const struct profile *p) {
    struct profile q;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    char *text = NULL;
    size_t room = 0;
    int warnings = -1;
    profile_clear(&q);
    if (getdelim(&text, &room, '\0', file) > 0)
        warnings = profile_parse(text, path, &q);
    fclose(file);
    free(text);
    char *wanted = text_of(p), *got = text_of(&q);
    bool same = warnings == 0 && wanted && got && strcmp(wanted, got) == 0;
    free(wanted);
    free(got);
    errno = 0;
    return same;
}

static void make_folder_of(const char *path) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    folder_make(dirname(folder));
}

bool tune_file_can_write(const char *path, bool makes_folder) {
    char other[4096];
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (makes_folder)
        make_folder_of(path);
    FILE *file = create_other(path, other, sizeof other);
    if (!file)
        return false;
    unlink(other);
    return fclose(file) == 0;
}

bool tune_file_write(const char *path, const struct profile *p, const struct gpu_caps *caps) {
    char other[4096];
    FILE *file = create_other(path, other, sizeof other);
    if (!file)
        return false;
    if (write_all(file, p, caps) && rename(other, path) == 0)
        return is_same(path, p);
    int error = errno;
    unlink(other);
    errno = error;
    return false;
}
