/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests memory limits of control groups of versions 1 and 2: of the process's own group and of the
 * groups above it. The files are in a folder that replaces the root of the file system. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/memory/cgroup.h"
#include "lib/memory/pressure.h"
#include "tests/support/testing.h"

#define MIB(n) ((uint64_t)(n) << 20)
enum { MOST_FILES = 8 };

static char root[] = "/tmp/mpgpu-test-cgroup-XXXXXX";

/* A file: its path, below the folder that replaces the root, and its content. */
struct file {
    const char *path, *text;
};

static const struct {
    const char *what;
    struct file files[MOST_FILES];
    uint64_t most; /* the expected lowest limit of all groups, in MiB; 0: no limit */
    uint64_t fits; /* the expected number of MiB that the process may still allocate; 0: no limit */
} cases[] = {
    {"no files", {{0}}, 0, 0},
    {"version 2, no limit",
     {{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "max\n"}},
     0,
     0},
    {"version 2, the root of a container",
     {{"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/memory.max", "268435456\n"},
      {"/sys/fs/cgroup/memory.current", "104857600\n"},
      {"/sys/fs/cgroup/memory.stat", "anon 104857600\nfile 0\nshmem 0\n"}},
     256,
     124},
    {"version 2, the process's own group",
     {{"/proc/self/cgroup", "0::/user.slice/job.scope\n"},
      {"/sys/fs/cgroup/user.slice/memory.max", "max\n"},
      {"/sys/fs/cgroup/user.slice/job.scope/memory.max", "268435456\n"},
      {"/sys/fs/cgroup/user.slice/job.scope/memory.current", "104857600\n"}},
     256,
     124},
    {"version 2, a group above it",
     {{"/proc/self/cgroup", "0::/user.slice/job.scope\n"},
      {"/sys/fs/cgroup/user.slice/memory.max", "536870912\n"},
      {"/sys/fs/cgroup/user.slice/memory.current", "419430400\n"},
      {"/sys/fs/cgroup/user.slice/job.scope/memory.max", "max\n"}},
     512,
     48},
    {"version 2, both: the least that is left counts",
     {{"/proc/self/cgroup", "0::/a/b\n"},
      {"/sys/fs/cgroup/a/memory.max", "536870912\n"},
      {"/sys/fs/cgroup/a/memory.current", "419430400\n"},
      {"/sys/fs/cgroup/a/b/memory.max", "268435456\n"},
      {"/sys/fs/cgroup/a/b/memory.current", "0\n"}},
     256,
     48},
    {"pages of files can be dropped",
     {{"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/memory.max", "268435456\n"},
      {"/sys/fs/cgroup/memory.current", "209715200\n"},
      {"/sys/fs/cgroup/memory.stat", "anon 104857600\nfile 104857600\nshmem 0\n"}},
     256,
     124},
    {"shared memory cannot",
     {{"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/memory.max", "268435456\n"},
      {"/sys/fs/cgroup/memory.current", "209715200\n"},
      {"/sys/fs/cgroup/memory.stat", "anon 104857600\nfile 104857600\nshmem 104857600\n"}},
     256,
     24},
    {"version 1, the process's own group",
     {{"/proc/self/cgroup", "9:name=systemd:/\n4:hugetlb,memory:/jobs/7\n1:cpu:/x\n0::/\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {"/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "268435456\n"},
      {"/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes", "209715200\n"},
      {"/sys/fs/cgroup/memory/jobs/7/memory.stat",
       "cache 1\ntotal_cache 104857600\ntotal_shmem 52428800\n"}},
     256,
     74},
    {"version 1, a container that sees its own group as the root",
     {{"/proc/self/cgroup", "4:memory:/docker/77\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n"},
      {"/sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n"}},
     256,
     124},
    {"a group outside of the namespace",
     {{"/proc/self/cgroup", "0::/../other\n"},
      {"/sys/fs/other/memory.max", "1\n"},
      {"/sys/fs/cgroup/memory.max", "268435456\n"},
      {"/sys/fs/cgroup/memory.current", "104857600\n"}},
     256,
     124},
};

static void shell(const char *format, const char *path) {
    char command[400];
    snprintf(command, sizeof command, format, path);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const struct file *f) {
    char path[300];
    snprintf(path, sizeof path, "%s%s", root, f->path);
    shell("mkdir -p \"$(dirname %s)\"", path);
    FILE *file = fopen(path, "w");
    ck_assert(file && fputs(f->text, file) >= 0 && fclose(file) == 0);
}

static void setup(void) {
    ck_assert_ptr_nonnull(mkdtemp(root));
    cgroup_set_root(root);
}

static void teardown(void) {
    shell("rm -rf %s", root);
}

START_TEST(test_limits) {
    const struct file meminfo = {"/proc/meminfo",
                                 "MemTotal: 16777216 kB\nMemAvailable: 16000000 kB\n"};
    const uint64_t total = MIB(16384);
    write_file(&meminfo);
    for (int i = 0; i < MOST_FILES && cases[_i].files[i].path; i++)
        write_file(&cases[_i].files[i]);
    uint64_t most = cases[_i].most ? MIB(cases[_i].most) : total, fits = MIB(cases[_i].fits);
    ck_assert_msg(pressure_total() == most, "%s: the limit is %llu", cases[_i].what,
                  (unsigned long long)pressure_total());
    bool is_limited = cases[_i].fits != 0;
    ck_assert_msg(!pressure_is_high(fits) && !pressure_of_groups(fits), "%s: short too early",
                  cases[_i].what);
    ck_assert_msg(pressure_is_high(fits + 1) == is_limited &&
                      pressure_of_groups(fits + 1) == is_limited,
                  "%s: not short in time", cases[_i].what);
    ck_assert(pressure_of_groups(UINT64_MAX) == is_limited);
}
END_TEST

int main(void) {
    testing_set_up = setup;
    testing_tear_down = teardown;
    return testing_main("cgroup", 60, TESTS(LOOP(test_limits, sizeof cases / sizeof *cases)));
}
