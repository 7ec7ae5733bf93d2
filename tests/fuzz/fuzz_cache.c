/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: the reader of the disk cache. The input bytes are a cache file's content, or
 * changes to a valid cache file. The reader must return either the content that was written or
 * nothing. */
#include "config.h" /* must come first: enables system functions beyond C11 */

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/cache.h"
#include "gpu/gpu.h"
#include "tests/fuzz/fuzz.h"

enum { HEADER = 80, CONTENT = 64, MOST_FILE = HEADER + CONTENT };

static char folder[] = "/tmp/mpgpu-fuzz-cache-XXXXXX", path[600];
static struct cache_key key;
static char content[CONTENT];
static unsigned char right[MOST_FILE]; /* a valid cache file, as cache_write writes it */

static void remove_folder(void) {
    unlink(path);
    rmdir(folder);
}

/* Sets `path` to the only file in the cache folder. */
static void find_file(void) {
    DIR *entries = opendir(folder);
    FUZZ_CHECK(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    closedir(entries);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static const char *const parts[] = {"fuzz", NULL};
    (void)argc;
    (void)argv;
    FUZZ_CHECK(mkdtemp(folder));
    gpu_set_cache_dir(folder);
    cache_key_make(&key, parts);
    for (int i = 0; i < CONTENT; i++)
        content[i] = (char)(i * i);
    cache_write(&key, content, sizeof content);
    find_file();
    FILE *file = fopen(path, "r");
    FUZZ_CHECK(file && fread(right, 1, sizeof right, file) == sizeof right && getc(file) == EOF);
    fclose(file);
    atexit(remove_folder);
    return 0;
}

static void put_file(const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "w");
    FUZZ_CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Changes the file in several places. Of each two input bytes, the first selects the position and
 * the second is added to the byte there. */
static void change(unsigned char *file, const uint8_t *data, size_t size) {
    for (; size >= 2; data += 2, size -= 2)
        file[data[0] % MOST_FILE] += data[1];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char file[MOST_FILE];
    size_t length = sizeof file;
    if (size == 0)
        return 0;
    memcpy(file, right, sizeof file);
    change(file, data + 1, size - 1);
    if (data[0] % 4 == 1)
        length = size > 1 ? data[1] % MOST_FILE : 0; /* cut */
    if (data[0] % 4 == 2)
        put_file(data + 1, size - 1);
    else
        put_file(file, length);
    int same = data[0] % 4 == 2 ? size - 1 == sizeof right && !memcmp(data + 1, right, size - 1)
                                : length == sizeof right && !memcmp(file, right, length);
    size_t found_size = 0;
    char *found = cache_read(&key, &found_size);
    FUZZ_CHECK(!found == !same);
    FUZZ_CHECK(!found || (found_size == sizeof content && !memcmp(found, content, found_size)));
    free(found);
    return 0;
}
