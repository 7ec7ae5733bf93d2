/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The cache of built programs on disk. A file consists of a header (magic, key, size and hash of
 * the content) and the content. A file is written under another name and then renamed, so readers
 * find a complete file or none. Folders and files are used only if they belong to the user and no
 * one else can write to them. */
#include "config.h"

#include "gpu/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/folder.h"
#include "gpu/gpu.h"
#include "gpu/host/pages.h"

enum { MOST_BYTES = 1 << 28 }; /* maximum size of a built program in a file */

struct header {
    char magic[8];
    unsigned char key[SHA256_BYTES];
    unsigned char hash[SHA256_BYTES];
    uint64_t size;
};
static const char magic[8] = "mpgpu 1";

static LARGE_ZERO char folder[4096];

void gpu_set_cache_dir(const char *dir) {
    const char *next = dir && strlen(dir) < sizeof folder ? dir : "";
    if (strcmp(folder, next) != 0)
        strcpy(folder, next);
}

bool cache_get_dir(char *name, size_t size) {
    snprintf(name, size, "%s", folder);
    return name[0] != '\0';
}

void cache_key_make(struct cache_key *key, const char *const *parts) {
    struct sha256 h;
    sha256_start(&h);
    for (; *parts; parts++)
        /* includes the final 0, which separates the strings in the hash */
        sha256_feed(&h, *parts, strlen(*parts) + 1);
    sha256_end(&h, key->digest);
}

enum { NAME_BYTES = SHA256_BYTES + 1, OTHER_NAME_BYTES = NAME_BYTES + 1 + 16 };

static void to_hex(char *hex, const unsigned char *bytes, int count) {
    for (int i = 0; i < count; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

/* Writes the name of a key's file: the first half of the key in hexadecimal. */
static void file_name(char name[NAME_BYTES], const struct cache_key *key) {
    to_hex(name, key->digest, SHA256_BYTES / 2);
}

static bool read_all(int file, void *to, size_t size) {
    for (char *at = to; size > 0;) {
        ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t size) {
    for (const char *at = from; size > 0;) {
        ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static void hash_of(const void *content, size_t size, unsigned char hash[SHA256_BYTES]) {
    struct sha256 h;
    sha256_start(&h);
    sha256_feed(&h, content, size);
    sha256_end(&h, hash);
}

/* Checks the header of an open file. Returns NULL if it is valid, otherwise a text that names
 * the fault. */
static const char *check_header(int file, const struct cache_key *key, struct header *header) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return "not a plain file";
    if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
        return "others can write it";
    if (!read_all(file, header, sizeof *header) || memcmp(header->magic, magic, sizeof magic) != 0)
        return "no header of ours";
    if (memcmp(header->key, key->digest, sizeof header->key) != 0)
        return "another key";
    if (header->size > MOST_BYTES || status.st_size != (off_t)(sizeof *header + header->size))
        return "wrong size";
    return NULL;
}

/* Returns the content of an open file, which the caller frees; on failure returns NULL and sets
 * *wrong to the reason. */
static void *read_content(int file, const struct cache_key *key, size_t *size, const char **wrong) {
    struct header header;
    unsigned char hash[SHA256_BYTES];
    if ((*wrong = check_header(file, key, &header)))
        return NULL;
    *size = (size_t)header.size;
    void *content = malloc(*size + 1);
    if (!content || !read_all(file, content, *size))
        *wrong = "cannot be read";
    if (!*wrong) {
        hash_of(content, *size, hash);
        *wrong = memcmp(hash, header.hash, sizeof hash) != 0 ? "damaged content" : NULL;
    }
    if (!*wrong)
        return content;
    free(content);
    return NULL;
}

/* Returns the content of a key's file in the open folder `at`; the caller frees it. On failure,
 * returns NULL and sets *wrong to the reason. *wrong is NULL if there is no file. */
static void *read_file(int at, const struct cache_key *key, size_t *size, const char **wrong) {
    char name[NAME_BYTES];
    file_name(name, key);
    int file = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        *wrong = errno == ENOENT ? NULL : strerror(errno);
        return NULL;
    }
    void *content = read_content(file, key, size, wrong);
    close(file);
    return content;
}

void *cache_read(const struct cache_key *key, size_t *size) {
    char dir[sizeof folder];
    const char *wrong = NULL;
    void *content = NULL;
    if (!cache_get_dir(dir, sizeof dir))
        return NULL;
    int at = folder_open(dir, &wrong);
    if (at >= 0) {
        content = read_file(at, key, size, &wrong);
        close(at);
    } else if (errno == ENOENT)
        wrong = NULL; /* no folder yet */
    if (wrong)
        gpu_log(GPU_LOG_DETAIL, "cache: %s: %s", dir, wrong);
    return content;
}

bool cache_has(const struct cache_key *key) {
    char dir[sizeof folder], name[NAME_BYTES];
    const char *wrong = NULL;
    struct stat status;
    int at = cache_get_dir(dir, sizeof dir) ? folder_open(dir, &wrong) : -1;
    if (at < 0)
        return false;
    file_name(name, key);
    bool found = fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    close(at);
    return found;
}

static bool put_content(int file, const struct cache_key *key, const void *content, size_t size) {
    struct header header = {.size = size};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.key, key->digest, sizeof header.key);
    hash_of(content, size, header.hash);
    int done = write_all(file, &header, sizeof header) && write_all(file, content, size);
    return close(file) == 0 && done;
}

/* Creates a file "NAME.RANDOM" in the folder `at`; no other process can guess its name. Returns
 * its descriptor, or -1. */
static int create_other(int at, const char *name, char other[OTHER_NAME_BYTES]) {
    unsigned char random[8];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -1;
    snprintf(other, OTHER_NAME_BYTES, "%s.", name);
    to_hex(other + NAME_BYTES, random, sizeof random);
    return openat(at, other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Writes the content to a new file and renames it to the key's name. On failure returns false
 * with errno. */
static bool write_file(int at, const struct cache_key *key, const void *content, size_t size) {
    char name[NAME_BYTES], other[OTHER_NAME_BYTES];
    file_name(name, key);
    int file = create_other(at, name, other);
    if (file < 0)
        return false;
    if (put_content(file, key, content, size) && renameat(at, other, at, name) == 0)
        return true;
    int error = errno;
    unlinkat(at, other, 0);
    errno = error;
    return false;
}

/* Logs that a program could not be stored. Only the first message of a process is a warning,
 * since later failures have the same cause. */
static void not_kept(const char *dir, const char *wrong) {
    static atomic_bool has_told;
    gpu_log(atomic_exchange(&has_told, true) ? GPU_LOG_DETAIL : GPU_LOG_WARNING,
            "cache: %s: %s; programs are built anew each time", dir, wrong);
}

void cache_write(const struct cache_key *key, const void *content, size_t size) {
    char dir[sizeof folder];
    const char *wrong = NULL;
    if (!cache_get_dir(dir, sizeof dir))
        return;
    folder_make(dir);
    int at = folder_open(dir, &wrong);
    if (at >= 0) {
        if (!write_file(at, key, content, size))
            wrong = strerror(errno);
        close(at);
    }
    if (wrong)
        not_kept(dir, wrong);
}
