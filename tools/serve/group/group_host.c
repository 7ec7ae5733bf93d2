/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Host memory of clients that members of this host have mapped, too, and copy themselves: region i
 * is the member's region i + 1. */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tools/serve/group/group_impl.h"

/* The region's beginning in the file: that of region 0 is behind what the channels have. */
static uint64_t file_offset(uint64_t region) {
    return region == 0 ? SERVED_HOST : 0;
}

static enum gpu_status lock_there(gpu_device_impl *dev, uint64_t region, uint64_t offset,
                                  uint64_t bytes) {
    return group_impl_call(group_impl_link(dev),
                           REQUEST(LOCK, region + 1, offset + file_offset(region), bytes), NULL, 0,
                           NULL);
}

/* With all of it that is page-locked here. */
static bool map_there(gpu_device_impl *dev, const struct serve_client *c, uint64_t region) {
    const struct serve_region *r = &c->region[region];
    struct stat file;
    if (!group_is_near(dev->place.rank) || r->file < 0 || fstat(r->file, &file) != 0)
        return false;
    const struct served_request request = {.op = GROUP_MAP,
                                           .a = {region + 1, (uint64_t)getpid(), (uint64_t)r->file,
                                                 file_offset(region) + r->bytes, file.st_ino}};
    if (group_impl_call(group_impl_link(dev), &request, NULL, 0, NULL) != GPU_OK)
        return false;
    for (uint32_t i = 0; i < c->locks; i++)
        if (c->locked[i].region == region)
            lock_there(dev, region, c->locked[i].offset, c->locked[i].bytes);
    return true;
}

/* Has the member mapped the client's memory there?  The number of its region, and the offset. */
bool group_host_is_mapped(gpu_device_impl *dev, const void *p, size_t bytes, uint64_t *there,
                          uint64_t *offset) {
    const struct serve_channel *ch = serve_channel_here();
    uint64_t region = ch ? serve_memory_find(ch->client, p, bytes, offset) : SERVED_REGIONS;
    if (region == SERVED_REGIONS)
        return false;
    pthread_mutex_lock(&dev->maps);
    if (dev->mapping[region] == UNASKED)
        dev->mapping[region] = map_there(dev, ch->client, region) ? MAPPED : REFUSED;
    bool done = dev->mapping[region] == MAPPED;
    pthread_mutex_unlock(&dev->maps);
    *there = region + 1;
    *offset += file_offset(region);
    return done;
}

/* Of a region that the member has mapped already; else nothing happens. */
static bool find_mapped(gpu_device_impl *dev, const void *p, uint64_t *region, uint64_t *offset) {
    const struct serve_channel *ch = serve_channel_here();
    *region = ch ? serve_memory_find(ch->client, p, 0, offset) : SERVED_REGIONS;
    return *region < SERVED_REGIONS && dev->mapping[*region] == MAPPED;
}

enum gpu_status group_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    uint64_t region, offset;
    pthread_mutex_lock(&dev->maps);
    enum gpu_status status = find_mapped(dev, host, &region, &offset)
                                 ? lock_there(dev, region, offset, bytes)
                                 : GPU_ABSENT;
    pthread_mutex_unlock(&dev->maps);
    return status;
}

void group_host_unregister(gpu_device_impl *dev, void *host) {
    uint64_t region, offset;
    pthread_mutex_lock(&dev->maps);
    if (find_mapped(dev, host, &region, &offset))
        group_impl_call(group_impl_link(dev),
                        REQUEST(UNLOCK, region + 1, offset + file_offset(region)), NULL, 0, NULL);
    pthread_mutex_unlock(&dev->maps);
}

/* A region comes to an end: another may have its number. */
void group_host_release(gpu_device_impl *dev, void *host) {
    uint64_t region, offset;
    pthread_mutex_lock(&dev->maps);
    if (find_mapped(dev, host, &region, &offset))
        group_impl_call(group_impl_link(dev), REQUEST(DROP, region + 1), NULL, 0, NULL);
    if (region < SERVED_REGIONS)
        dev->mapping[region] = UNASKED;
    pthread_mutex_unlock(&dev->maps);
}
