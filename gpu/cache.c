/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The cache of built programs on disk.  A file is a header (magic, key, size and
 * hash of the content) and the content; it is written under another name and
 * renamed, so that a reader finds all of it or nothing. */
#include "config.h"

#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "gpu.h"

enum { MOST_BYTES = 1 << 28 }; /* no program is larger */

struct header {
    char magic[8];
    unsigned char key[SHA256_BYTES];
    unsigned char hash[SHA256_BYTES];
    uint64_t size;
};
static const char magic[8] = "mpgpu 1";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* for folder */
static char folder[4096];

void gpu_set_cache_dir(const char *dir) {
    pthread_mutex_lock(&mutex);
    snprintf(folder, sizeof folder, "%s", dir && strlen(dir) < sizeof folder ? dir : "");
    pthread_mutex_unlock(&mutex);
}

/* The folder's name; 0 if there is to be no cache. */
static int get_folder(char *name, size_t size) {
    pthread_mutex_lock(&mutex);
    snprintf(name, size, "%s", folder);
    pthread_mutex_unlock(&mutex);
    return name[0] != '\0';
}

void cache_key_make(struct cache_key *key, const char *const *parts) {
    struct sha256 h;
    sha256_start(&h);
    for (; *parts; parts++)
        sha256_feed(&h, *parts, strlen(*parts) + 1); /* the 0 keeps the parts apart */
    sha256_end(&h, key->digest);
}

/* FOLDER/HEX of the key's first half. */
static void file_name(char *name, size_t size, const char *dir, const struct cache_key *key) {
    char hex[SHA256_BYTES + 1];
    for (int i = 0; i < SHA256_BYTES / 2; i++)
        snprintf(hex + 2 * i, 3, "%02x", key->digest[i]);
    snprintf(name, size, "%s/%s", dir, hex);
}

static int read_all(int file, void *to, size_t size) {
    for (char *at = to; size > 0;) {
        ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        at += got;
        size -= (size_t)got;
    }
    return 1;
}

static int write_all(int file, const void *from, size_t size) {
    for (const char *at = from; size > 0;) {
        ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return 0;
        at += put;
        size -= (size_t)put;
    }
    return 1;
}

static void hash_of(const void *content, size_t size, unsigned char hash[SHA256_BYTES]) {
    struct sha256 h;
    sha256_start(&h);
    sha256_feed(&h, content, size);
    sha256_end(&h, hash);
}

/* NULL if the open file's header is in order, else what is wrong. */
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

/* The content of an open file, or NULL and *wrong. */
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

void *cache_read(const struct cache_key *key, size_t *size) {
    char dir[sizeof folder], name[sizeof folder + SHA256_BYTES + 16];
    const char *wrong = NULL;
    if (!get_folder(dir, sizeof dir))
        return NULL;
    file_name(name, sizeof name, dir, key);
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        if (errno != ENOENT)
            gpu_log(GPU_LOG_DETAIL, "cache: %s: %s", name, strerror(errno));
        return NULL;
    }
    void *content = read_content(file, key, size, &wrong);
    close(file);
    if (wrong)
        gpu_log(GPU_LOG_DETAIL, "cache: %s: %s", name, wrong);
    return content;
}

/* Make a folder and those above it that are missing; nothing if there already. */
static void make_folders(const char *dir) {
    char path[sizeof folder];
    snprintf(path, sizeof path, "%s", dir);
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

static int write_file(int file, const struct cache_key *key, const void *content, size_t size) {
    struct header header = {.size = size};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.key, key->digest, sizeof header.key);
    hash_of(content, size, header.hash);
    int done = write_all(file, &header, sizeof header) && write_all(file, content, size);
    return close(file) == 0 && done;
}

void cache_write(const struct cache_key *key, const void *content, size_t size) {
    char dir[sizeof folder], name[sizeof folder + SHA256_BYTES + 16], other[sizeof name + 16];
    if (!get_folder(dir, sizeof dir))
        return;
    make_folders(dir);
    file_name(name, sizeof name, dir, key);
    snprintf(other, sizeof other, "%s.XXXXXX", name);
    int file = mkostemp(other, O_CLOEXEC); /* mode 0600 */
    if (file < 0) {
        gpu_log(GPU_LOG_DETAIL, "cache: %s: %s", dir, strerror(errno));
        return;
    }
    if (!write_file(file, key, content, size) || rename(other, name) != 0) {
        gpu_log(GPU_LOG_DETAIL, "cache: %s: %s", name, strerror(errno));
        unlink(other);
    }
}
