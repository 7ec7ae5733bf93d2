/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the cache of built programs: its files, and whether OpenCL uses them. */
#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "gpu/cache.h"
#include "tests/support/devices.h"
#include "tests/support/testing.h"

/* each test's process changes its own copy of this name */
static char root[] = "/tmp/mpgpu-test-cache-XXXXXX";
static const char *const parts[] = {"source", "options", NULL};
static const char content[] = "what a driver made of it";
static struct cache_key key;

static void setup(void) {
    ck_assert_ptr_nonnull(mkdtemp(root));
    gpu_set_cache_dir(root);
    cache_key_make(&key, parts);
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...) {
    char command[400];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    ck_assert_int_eq(system(command), 0);
}

static void teardown(void) {
    shell("rm -rf %s", root);
}

static int is_there(void) {
    size_t size;
    char *found = cache_read(&key, &size);
    int right = found && size == sizeof content && memcmp(found, content, size) == 0;
    /* the cache must return either nothing or the content that was written */
    ck_assert(!found || right);
    free(found);
    return right;
}

START_TEST(round_trip) {
    ck_assert(!is_there());
    cache_write(&key, content, sizeof content);
    ck_assert(is_there());
    cache_write(&key, content, sizeof content);
    ck_assert(is_there());
}
END_TEST

START_TEST(keys_differ) {
    const char *const moved[] = {"sourceo", "ptions", NULL};
    struct cache_key other;
    cache_key_make(&other, moved);
    ck_assert(memcmp(&key, &other, sizeof key) != 0);
}
END_TEST

START_TEST(folders_are_made) {
    char deep[100];
    struct stat status;
    snprintf(deep, sizeof deep, "%s/a/b", root);
    gpu_set_cache_dir(deep);
    cache_write(&key, content, sizeof content);
    ck_assert(is_there());
    ck_assert_int_eq(stat(deep, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0700);
}
END_TEST

static const char *const damages[] = {
    "truncate -s -1 $f",
    "truncate -s 40 $f",
    "truncate -s 0 $f",
    "echo >> $f",
    "echo other content > $f",
    "printf x | dd of=$f bs=1 seek=90 conv=notrunc status=none", /* content */
    "printf x | dd of=$f bs=1 seek=10 conv=notrunc status=none", /* key */
    "chmod 0666 $f",
    "rm $f && mkdir $f",
    "rm $f && mkfifo $f",
    "mv $f $f.1 && ln -s $f.1 $f",
};

START_TEST(damaged_file) {
    cache_write(&key, content, sizeof content);
    ck_assert(is_there());
    shell("for f in %s/*; do %s; done", root, damages[_i]);
    ck_assert(!is_there());
}
END_TEST

/* Commands that give the cache's files or folder another owner, or let others write to the folder.
 * The cache's content must then be ignored. */
static const char *const strangers[] = {
    "chown 65534 %s/*",
    "chown 65534 %s",
    "chmod 0770 %s",
    "chmod 0703 %s",
};
enum { ONLY_ROOT = 2 }; /* the first two commands work only for root */

START_TEST(of_a_stranger) {
    char command[200];
    if (_i < ONLY_ROOT && geteuid() != 0) {
        testing_skip("files and folders of another user, which only root can make");
        return;
    }
    cache_write(&key, content, sizeof content);
    ck_assert(is_there());
    snprintf(command, sizeof command, strangers[_i], root);
    shell("%s", command);
    ck_assert(!is_there());
}
END_TEST

/* If the cache's folder belongs to another user or others can write to it, nothing may be written
 * there. */
START_TEST(into_a_folder_of_a_stranger) {
    char command[200];
    if (_i < ONLY_ROOT && geteuid() != 0) {
        testing_skip("a folder of another user, which only root can make");
        return;
    }
    snprintf(command, sizeof command, strangers[_i], root);
    shell("%s", command);
    cache_write(&key, content, sizeof content);
    shell("test -z \"$(ls -A %s)\"", root);
}
END_TEST

/* A symbolic link in place of a cache file must be replaced, not followed. */
START_TEST(file_is_a_link) {
    char target[100];
    struct stat status;
    cache_write(&key, content, sizeof content);
    shell("for f in %s/*; do rm $f; echo precious > %s.target; ln -s %s.target $f; done", root,
          root, root);
    ck_assert(!is_there());
    cache_write(&key, content, sizeof content);
    ck_assert(is_there());
    snprintf(target, sizeof target, "%s.target", root);
    ck_assert_int_eq(stat(target, &status), 0);
    ck_assert_int_eq(status.st_size, 9);
    ck_assert_int_eq(unlink(target), 0);
}
END_TEST

/* Runs as another user, who has no permission to write to the cache's folder. cache_write must then
 * store nothing. */
START_TEST(folder_is_not_writable) {
    if (geteuid() == 0 && seteuid(65534) != 0)
        ck_abort_msg("seteuid");
    gpu_set_cache_dir("/");
    cache_write(&key, content, sizeof content);
    ck_assert(!is_there());
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

/* On a full disk neither an incomplete file nor a temporary file may remain. */
START_TEST(disk_is_full) {
    struct rlimit before, most;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    most = before;
    most.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
    cache_write(&key, content, sizeof content);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(!is_there());
    shell("test -z \"$(ls -A %s)\"", root);
}
END_TEST

START_TEST(no_folder_possible) {
    char below[100];
    shell("touch %s/file", root);
    snprintf(below, sizeof below, "%s/file/folder", root);
    gpu_set_cache_dir(below);
    cache_write(&key, content, sizeof content);
    ck_assert(!is_there());
    gpu_set_cache_dir("");
    cache_write(&key, content, sizeof content);
    ck_assert(!is_there());
}
END_TEST

static int built, reused;

static void count(int level, const char *text) {
    (void)level;
    built += strstr(text, ": built") != NULL;
    reused += strstr(text, ": from the cache") != NULL;
}

/* Opens the device, requests a kernel, which builds its program or reads it from the cache, and
 * closes the device. */
static void build_once(int i) {
    struct gpu_device dev;
    gpu_kernel_impl *kernel;
    ck_assert_int_eq(open_device(i, &dev), GPU_OK);
    ck_assert_int_eq(dev.backend->kernel(dev.impl, GPU_KERNEL_addsub_addsub, &kernel), GPU_OK);
    gpu_close(&dev);
}

/* Builds the program for the first time and returns 1. Returns 0 for CUDA, where nothing is built
 * at run time, because the library contains the kernels. */
static int is_cached(int i, const char *test) {
    if (strcmp(devices[i].backend->name, "cuda") == 0) {
        testing_skip("%s: CUDA's programs were built with the library", test);
        return 0;
    }
    gpu_set_logger(count);
    build_once(i);
    return 1;
}

START_TEST(second_build_is_read) {
    if (!is_cached(_i, "second_build_is_read"))
        return;
    build_once(_i);
    ck_assert_int_eq(built, 1);
    ck_assert_int_eq(reused, 1);
    shell("for f in %s/*; do echo x > $f; done", root);
    build_once(_i);
    ck_assert_int_eq(built, 2);
    build_once(_i);
    ck_assert_int_eq(reused, 2);
}
END_TEST

/* Returns the key of the only program in the cache, the longest file. Ignores a small file, which
 * may also be there. */
static struct cache_key key_of_program(void) {
    struct cache_key key = {{0}};
    DIR *folder = opendir(root);
    struct dirent *entry;
    long most = 0;
    while ((entry = readdir(folder))) {
        char name[400];
        snprintf(name, sizeof name, "%s/%s", root, entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(name, "r") : NULL;
        if (file && fseek(file, 0, SEEK_END) == 0 && ftell(file) > most) {
            most = ftell(file);
            ck_assert_int_eq(fseek(file, 8, SEEK_SET), 0); /* behind the magic */
            ck_assert_uint_eq(fread(&key, 1, sizeof key, file), sizeof key);
        }
        if (file)
            fclose(file);
    }
    closedir(folder);
    return key;
}

/* Replaces the cached program by a valid cache file whose content no driver can load. */
START_TEST(driver_refuses) {
    struct cache_key every;
    size_t size;
    if (!is_cached(_i, "driver_refuses"))
        return;
    ck_assert_int_eq(built, 1);
    every = key_of_program();
    cache_write(&every, content, sizeof content);
    free(cache_read(&every, &size));
    ck_assert_uint_eq(size, sizeof content);
    build_once(_i);
    ck_assert_int_eq(built, 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cache");
    TCase *files = tcase_create("files"), *on_device = tcase_create("device");
    find_devices();
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_checked_fixture(on_device, setup, teardown);
    tcase_set_timeout(on_device, 120);
    tcase_add_test(files, round_trip);
    tcase_add_test(files, keys_differ);
    tcase_add_test(files, folders_are_made);
    tcase_add_loop_test(files, damaged_file, 0, sizeof damages / sizeof *damages);
    tcase_add_loop_test(files, of_a_stranger, 0, sizeof strangers / sizeof *strangers);
    tcase_add_loop_test(files, into_a_folder_of_a_stranger, 1,
                        sizeof strangers / sizeof *strangers);
    tcase_add_test(files, file_is_a_link);
    tcase_add_test(files, folder_is_not_writable);
    tcase_add_test(files, disk_is_full);
    tcase_add_test(files, no_folder_possible);
    tcase_add_loop_test(on_device, second_build_is_read, 0, device_count);
    tcase_add_loop_test(on_device, driver_refuses, 0, device_count);
    suite_add_tcase(suite, files);
    if (device_count > 0)
        suite_add_tcase(suite, on_device);
    return testing_run(suite);
}
