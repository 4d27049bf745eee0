/* A libnvidia-ml.so.1 for tests: it tells what the file "topology" beside it says, read again whenever it has changed.
 *
 *   driver VERSION CUDA          550.54.15 12040; without this line there is no driver (error 9)
 *   gpu INDEX KEY=VALUE...       minor uuid bus mem numa cpus(hex words, low first, by comma) cc power ecc serial fabric=HEX/CLIQUE
 *                                fabricstate=1|2|3 (3 if it has a fabric and nothing else is said)
 *                                mig=0|1 use used mw mj temp sm memclk sbe dbe pending pids(by comma, each perhaps with :MiB and @PERCENT) mps(likewise,
 *                                clients of MPS); name=... last, to the line's end
 *   link INDEX LINK BUS [TYPE]   an active NVLink to what has that bus address, - if it tells none: TYPE 0 a GPU (of any GPU's address), 1 IBM's
 *                                processor, 2 a switch (of any other), 255 unknown
 *   anc INDEX INDEX LEVEL        PCI ancestor: 10, 20, 30, 40, 50
 *   mig INDEX PLACE KEY=VALUE... uuid gi ci mem start; name=... last; without uuid a GPU instance with no compute instance
 *   gone INDEX PLACE             there is no such instance any more
 *   fail FUNCTION CODE [INDEX]   that function answers so, for all or for one GPU
 *   hang FUNCTION [INDEX]        that function does not answer, for all or for one GPU, until this line is gone
 *   xid INDEX CODE [GI CI]       an event, once, of a GPU or of one of its instances
 *
 * A GPU in MIG mode is split by the table of the A100 of 40 GB. What is created and destroyed is written behind the other lines, so that it is
 * there for the next process too.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#define API __attribute__((visibility("default")))
#define GPUS 16
#define LINKS 36
#define MIGS 8
#define FAULTS 32
#define EVENTS 64
#define PIDS 1024

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, SIZE = 7, NO_DRIVER = 9, TIMEOUT = 10, IN_USE = 19, NO_ROOM = 23, VERSION = 25 };

typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char busId[32]; } Pci;
typedef struct { unsigned long long total, free, used; } MemoryInfo;
typedef struct { unsigned gpu, memory; } Rates;
typedef struct { unsigned pid; unsigned long long memory; unsigned gi, ci; } Process;
typedef struct { unsigned pid; unsigned long long at; unsigned sm, memory, encoder, decoder; } ProcessUse;
typedef struct { void *device; unsigned long long type, data; unsigned gi, ci; } Event;
typedef struct { unsigned char uuid[16]; int status; unsigned clique; unsigned char state; } Fabric;
typedef struct { unsigned start, size; } Placement;
typedef struct {
    unsigned version, id, p2p, slices, instances, multiprocessors, copy, decoders, encoders, jpeg, ofa;
    unsigned long long memoryMb;
    char name[96];
} GiProfile;
typedef struct { void *device; unsigned id, profile; Placement place; } GiInfo;
typedef struct { unsigned id, slices, instances, multiprocessors, copy, decoders, encoders, jpeg, ofa; } CiProfile;
static_assert(sizeof(GiProfile) == 152 && offsetof(GiProfile, memoryMb) == 48 && offsetof(GiProfile, name) == 56, "nvmlGpuInstanceProfileInfo_v2_t");
static_assert(sizeof(GiInfo) == 24 && offsetof(GiInfo, place) == 16, "nvmlGpuInstanceInfo_t");
static_assert(sizeof(CiProfile) == 36, "nvmlComputeInstanceProfileInfo_t");
static_assert(sizeof(Pci) == 68 && offsetof(Pci, busId) == 36, "nvmlPciInfo_t");
static_assert(sizeof(MemoryInfo) == 24, "nvmlMemory_t");
static_assert(sizeof(Process) == 24, "nvmlProcessInfo_t");
static_assert(sizeof(ProcessUse) == 32 && offsetof(ProcessUse, at) == 8 && offsetof(ProcessUse, sm) == 16, "nvmlProcessUtilizationSample_t");
static_assert(sizeof(Event) == 32 && offsetof(Event, gi) == 24 && offsetof(Event, ci) == 28, "nvmlEventData_t");
static_assert(sizeof(Fabric) == 28 && offsetof(Fabric, state) == 24, "nvmlGpuFabricInfo_t");

typedef struct { unsigned count, pid[PIDS], mib[PIDS], use[PIDS]; } Processes;

typedef struct Device {
    int there, index, isMig, place, start;
    char uuid[96], name[96], bus[32], serial[32];
    int minor, numa, major, capability, ecc, split, gi, ci, pending;
    unsigned long long mem, used, mj, sbe, dbe;
    unsigned power, use, mw, temp, sm, memclk;
    Processes compute, mps;
    unsigned long cpus[8];
    unsigned char cluster[16];
    int fabricState;
    unsigned clique;
    char links[LINKS][32];
    int linkTypes[LINKS];
    struct Device *migs;
} Device;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Device gpus[GPUS], migs[GPUS][MIGS];
static int ancestors[GPUS][GPUS];
static struct { char function[64]; int code, gpu; } faults[FAULTS];
static struct { char function[64]; int gpu; } hangs[FAULTS];
static struct { int gpu, gi, ci; unsigned long long code; } events[EVENTS];
static int gpuCount, faultCount, hangCount, eventCount, eventsTaken, initialized, cuda;
static char driver[64];
static struct timespec seen;
static off_t seenSize;

static void processes(Processes *p, char *v) {
    for (p->count = 0; p->count < PIDS && v; v = strchr(v, ',') ? strchr(v, ',') + 1 : 0) {
        char *mib = strpbrk(v, ":,");
        p->mib[p->count] = mib && *mib == ':' ? atoi(mib + 1) : 0;
        const char *use = strchr(v, '@');
        p->use[p->count] = use && (!strchr(v, ',') || use < strchr(v, ',')) ? atoi(use + 1) : 0;
        p->pid[p->count++] = atoi(v);
    }
}

static void key(Device *d, char *k, char *v) {
    if (!strcmp(k, "minor")) d->minor = atoi(v);
    else if (!strcmp(k, "uuid")) strcpy(d->uuid, v);
    else if (!strcmp(k, "bus")) strcpy(d->bus, v);
    else if (!strcmp(k, "serial")) strcpy(d->serial, v);
    else if (!strcmp(k, "mem")) d->mem = strtoull(v, 0, 10) << 20;
    else if (!strcmp(k, "used")) d->used = strtoull(v, 0, 10) << 20;
    else if (!strcmp(k, "numa")) d->numa = atoi(v);
    else if (!strcmp(k, "cc")) sscanf(v, "%d.%d", &d->major, &d->capability);
    else if (!strcmp(k, "power")) d->power = atoi(v) * 1000;
    else if (!strcmp(k, "ecc")) d->ecc = atoi(v);
    else if (!strcmp(k, "mig")) d->split = atoi(v);
    else if (!strcmp(k, "gi")) d->gi = atoi(v);
    else if (!strcmp(k, "ci")) d->ci = atoi(v);
    else if (!strcmp(k, "start")) d->start = atoi(v);
    else if (!strcmp(k, "use")) d->use = atoi(v);
    else if (!strcmp(k, "mw")) d->mw = atoi(v);
    else if (!strcmp(k, "mj")) d->mj = strtoull(v, 0, 10);
    else if (!strcmp(k, "temp")) d->temp = atoi(v);
    else if (!strcmp(k, "sm")) d->sm = atoi(v);
    else if (!strcmp(k, "memclk")) d->memclk = atoi(v);
    else if (!strcmp(k, "sbe")) d->sbe = strtoull(v, 0, 10);
    else if (!strcmp(k, "dbe")) d->dbe = strtoull(v, 0, 10);
    else if (!strcmp(k, "pending")) d->pending = atoi(v);
    else if (!strcmp(k, "cpus"))
        for (int i = 0; i < 8 && v; i++, v = strchr(v, ',') ? strchr(v, ',') + 1 : 0) d->cpus[i] = strtoul(v, 0, 16);
    else if (!strcmp(k, "pids")) processes(&d->compute, v);
    else if (!strcmp(k, "mps")) processes(&d->mps, v);
    else if (!strcmp(k, "fabricstate")) d->fabricState = atoi(v);
    else if (!strcmp(k, "fabric")) {
        d->fabricState = 3;
        for (int i = 0; i < 16; i++) sscanf(v + 2 * i, "%2hhx", &d->cluster[i]);
        d->clique = atoi(strchr(v, '/') + 1);
    } else abort();
}

static void keys(Device *d, char *text) {
    char *name = strstr(text, "name="), *save = 0;
    if (name) {
        strcpy(d->name, name + 5);
        *name = 0;
    }
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(0, " ", &save)) {
        char *equals = strchr(word, '=');
        *equals = 0;
        key(d, word, equals + 1);
    }
}

static void line(char *text) {
    char word[64], function[64], bus[32], *rest;
    int a, b, c, used = 0;
    if (sscanf(text, "%63s %n", word, &used) != 1 || *word == '#') return;
    rest = text + used;
    if (!strcmp(word, "driver")) sscanf(rest, "%63s %d", driver, &cuda);
    else if (!strcmp(word, "gpu")) {
        a = strtol(rest, &rest, 10);
        if (!gpus[a].there) gpus[a] = (Device){.there = 1, .index = a, .numa = -1, .minor = -1, .migs = migs[a]};
        keys(&gpus[a], rest);
        if (a >= gpuCount) gpuCount = a + 1;
    } else if (!strcmp(word, "mig")) {
        a = strtol(rest, &rest, 10);
        b = strtol(rest, &rest, 10);
        migs[a][b] = (Device){.there = 1, .index = a, .isMig = 1, .place = b};
        keys(&migs[a][b], rest);
    } else if (!strcmp(word, "gone")) {
        if (sscanf(rest, "%d %d", &a, &b) == 2) migs[a][b].there = 0;
    } else if (!strcmp(word, "link")) {
        c = -1;
        if (sscanf(rest, "%d %d %31s %d", &a, &b, bus, &c) >= 3) {
            strcpy(gpus[a].links[b], bus);
            gpus[a].linkTypes[b] = c;
        }
    } else if (!strcmp(word, "anc")) {
        if (sscanf(rest, "%d %d %d", &a, &b, &c) == 3) ancestors[a][b] = ancestors[b][a] = c;
    } else if (!strcmp(word, "fail")) {
        int n = sscanf(rest, "%63s %d %d", function, &a, &b);
        strcpy(faults[faultCount].function, function);
        faults[faultCount].code = a;
        faults[faultCount++].gpu = n == 3 ? b : -1;
    } else if (!strcmp(word, "hang")) {
        hangs[hangCount].gpu = -1;
        if (sscanf(rest, "%63s %d", hangs[hangCount].function, &hangs[hangCount].gpu) >= 1) hangCount++;
    } else if (!strcmp(word, "xid")) {
        events[eventCount].gi = events[eventCount].ci = -1;
        if (sscanf(rest, "%d %d %d %d", &a, &b, &events[eventCount].gi, &events[eventCount].ci) >= 2) {
            events[eventCount].gpu = a;
            events[eventCount++].code = b;
        }
    } else abort();
}

static void load(void);

static void locate(char *path, size_t size) {
    Dl_info self;
    dladdr((void *)load, &self);
    snprintf(path, size, "%s", self.dli_fname);
    strcpy(strrchr(path, '/') + 1, "topology");
}

static void load(void) {
    char path[4096], text[16384];
    struct stat now;
    locate(path, sizeof path);
    if (stat(path, &now)) {
        hangCount = 0;
        return;
    }
    if (now.st_size == seenSize && now.st_mtim.tv_sec == seen.tv_sec && now.st_mtim.tv_nsec == seen.tv_nsec) return;
    seen = now.st_mtim;
    seenSize = now.st_size;
    memset(gpus, 0, sizeof gpus);
    memset(migs, 0, sizeof migs);
    gpuCount = faultCount = hangCount = eventCount = *driver = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = 0;
        line(text);
    }
    if (file) fclose(file);
}

static int hanging(const char *function, Device *device) {
    for (int i = 0; i < hangCount; i++)
        if (!strcmp(hangs[i].function, function) && (hangs[i].gpu < 0 || (device && device->index == hangs[i].gpu))) return 1;
    return 0;
}

/* What a call is to answer before it does anything: 0 if nothing is wrong. */
static int fault(const char *function, Device *device) {
    pthread_mutex_lock(&lock);
    load();
    while (hanging(function, device)) {
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){0, 5000000}, 0);
        pthread_mutex_lock(&lock);
        load();
    }
    int code = initialized ? OK : UNINITIALIZED;
    for (int i = 0; i < faultCount; i++)
        if (!strcmp(faults[i].function, function) && (faults[i].gpu < 0 || (device && device->index == faults[i].gpu))) code = faults[i].code;
    pthread_mutex_unlock(&lock);
    return code;
}

#define CHECK(device) do { int code = fault(__func__, device); if (code) return code; } while (0)
#define WHOLE(device) do { if ((device)->isMig) return NOT_SUPPORTED; } while (0)

static int text(char *into, unsigned size, const char *value) {
    if (!*value) return NOT_SUPPORTED;
    if (strlen(value) >= size) return SIZE;
    strcpy(into, value);
    return OK;
}

API int nvmlInit_v2(void) {
    initialized = 1;
    int code = fault(__func__, 0);
    if (!code && !*driver) code = NO_DRIVER;
    if (code) initialized = 0;
    return code;
}
API int nvmlShutdown(void) { CHECK(0); return OK; }
API int nvmlSystemGetDriverVersion(char *v, unsigned n) { CHECK(0); return text(v, n, driver); }
API int nvmlSystemGetCudaDriverVersion_v2(int *v) { CHECK(0); *v = cuda; return OK; }
API int nvmlDeviceGetCount_v2(unsigned *n) { CHECK(0); *n = gpuCount; return OK; }
API int nvmlDeviceGetHandleByIndex_v2(unsigned i, Device **d) {
    if (i >= (unsigned)gpuCount) return INVALID;
    CHECK(&gpus[i]);
    *d = &gpus[i];
    return OK;
}
API int nvmlDeviceGetName(Device *d, char *v, unsigned n) { CHECK(d); return text(v, n, d->name); }
API int nvmlDeviceGetUUID(Device *d, char *v, unsigned n) { CHECK(d); return text(v, n, d->uuid); }
API int nvmlDeviceGetSerial(Device *d, char *v, unsigned n) { CHECK(d); return text(v, n, d->serial); }
#ifndef OLD_DRIVER
API int nvmlDeviceGetMinorNumber(Device *d, unsigned *v) { CHECK(d); WHOLE(d); *v = d->minor; return OK; }
API int nvmlDeviceGetGpuFabricInfo(Device *d, Fabric *v) {
    CHECK(d);
    if (!d->fabricState) return NOT_SUPPORTED;
    v->state = d->fabricState;
    if (v->state == 3) {
        memcpy(v->uuid, d->cluster, 16);
        v->clique = d->clique;
    }
    return OK;
}
API int nvmlDeviceGetMigMode(Device *d, unsigned *now, unsigned *pending) { CHECK(d); WHOLE(d); *now = *pending = d->split; return OK; }
#endif
static int pci(Pci *p, const char *bus) {
    memset(p, 0, sizeof *p);
    strcpy(p->busId, bus);
    return OK;
}
API int nvmlDeviceGetPciInfo_v3(Device *d, Pci *p) { CHECK(d); return pci(p, d->bus); }
API int nvmlDeviceGetCudaComputeCapability(Device *d, int *a, int *b) { CHECK(d); *a = d->major; *b = d->capability; return OK; }
API int nvmlDeviceGetMemoryInfo(Device *d, MemoryInfo *m) {
    CHECK(d);
    *m = (MemoryInfo){d->mem, d->mem - d->used, d->used};
    return OK;
}
API int nvmlDeviceGetCpuAffinity(Device *d, unsigned n, unsigned long *v) {
    CHECK(d);
    for (unsigned i = 0; i < n; i++) v[i] = i < 8 ? d->cpus[i] : 0;
    return OK;
}
API int nvmlDeviceGetMemoryAffinity(Device *d, unsigned n, unsigned long *v, unsigned scope) {
    CHECK(d);
    if (d->numa < 0 || scope) return NOT_SUPPORTED;
    memset(v, 0, n * sizeof *v);
    v[d->numa / 64] = 1UL << d->numa % 64;
    return OK;
}
API int nvmlDeviceGetTopologyCommonAncestor(Device *a, Device *b, unsigned *v) { CHECK(a); *v = ancestors[a->index][b->index]; return OK; }
API int nvmlDeviceGetNvLinkState(Device *d, unsigned l, unsigned *v) {
    CHECK(d);
    if (l >= 18) return INVALID;
    *v = *d->links[l] != 0;
    return OK;
}
API int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device *d, unsigned l, Pci *p) { CHECK(d); return *d->links[l] == '-' ? NOT_SUPPORTED : pci(p, d->links[l]); }
#ifndef OLD_DRIVER
API int nvmlDeviceGetNvLinkRemoteDeviceType(Device *d, unsigned l, unsigned *v) {
    CHECK(d);
    *v = d->linkTypes[l] < 0 ? 2 : d->linkTypes[l];
    for (int i = 0; d->linkTypes[l] < 0 && i < gpuCount; i++)
        if (!strcasecmp(gpus[i].bus, d->links[l])) *v = 0;
    return OK;
}
#endif
API int nvmlDeviceGetMaxMigDeviceCount(Device *d, unsigned *n) { CHECK(d); *n = d->split ? 7 : 0; return OK; }
API int nvmlDeviceGetMigDeviceHandleByIndex(Device *d, unsigned i, Device **m) {
    CHECK(d);
    if (i >= MIGS || !d->migs[i].there || !*d->migs[i].uuid) return NOT_FOUND;
    *m = &d->migs[i];
    return OK;
}

static const struct { unsigned number, id, compute, slices, most, mb; const char *name; const char *starts; } PROFILES[] = {
    {0, 19, 1, 1, 7, 4864, "1g.5gb", "0123456"}, {1, 14, 2, 2, 3, 9856, "2g.10gb", "024"}, {2, 9, 3, 4, 2, 19968, "3g.20gb", "04"},
    {3, 5, 4, 4, 1, 19968, "4g.20gb", "0"},      {4, 0, 7, 8, 1, 40192, "7g.40gb", "0"},  {7, 20, 1, 1, 1, 4864, "1g.5gb+me", "0123456"},
    {9, 15, 1, 2, 4, 9856, "1g.10gb", "0246"},
};
#define KINDS (int)(sizeof PROFILES / sizeof *PROFILES)

/* The profile with that id; -1 if there is none. */
static int profile(unsigned id) {
    for (int i = 0; i < KINDS; i++)
        if (PROFILES[i].id == id) return i;
    return -1;
}

/* The profile that an instance's name ends in. */
static int profileOf(Device *m) {
    char *name = strstr(m->name, "MIG ");
    for (int i = 0; i < KINDS; i++)
        if (name && !strcmp(name + 4, PROFILES[i].name)) return i;
    abort();
}

static void append(const char *format, ...) {
    char path[4096];
    locate(path, sizeof path);
    pthread_mutex_lock(&lock);
    FILE *file = fopen(path, "a");
    va_list values;
    va_start(values, format);
    vfprintf(file, format, values);
    va_end(values);
    fclose(file);
    load();
    pthread_mutex_unlock(&lock);
}

static void place(int index, int at, int kind, int start, const char *uuid) {
    char name[96];
    strcpy(name, gpus[index].name);
    append("mig %d %d gi=%d ci=0 mem=%u start=%d %s%s name=%s MIG %s\n", index, at, at + 1, PROFILES[kind].mb, start, *uuid ? "uuid=" : "", uuid, name,
        PROFILES[kind].name);
}

API int nvmlDeviceGetGpuInstanceProfileInfoV(Device *d, unsigned number, GiProfile *v) {
    CHECK(d);
    if (v->version != 0x2000098) return VERSION;
    for (int i = 0; d->split && i < KINDS; i++)
        if (PROFILES[i].number == number) {
            v->id = PROFILES[i].id;
            v->slices = PROFILES[i].compute;
            v->instances = PROFILES[i].most;
            v->memoryMb = PROFILES[i].mb;
            snprintf(v->name, sizeof v->name, "MIG %s", PROFILES[i].name);
            return OK;
        }
    return NOT_SUPPORTED;
}
API int nvmlDeviceGetGpuInstancePossiblePlacements_v2(Device *d, unsigned id, Placement *v, unsigned *n) {
    CHECK(d);
    int kind = profile(id);
    if (kind < 0 || *n < strlen(PROFILES[kind].starts)) return INVALID;
    *n = strlen(PROFILES[kind].starts);
    for (unsigned i = 0; i < *n; i++) v[i] = (Placement){PROFILES[kind].starts[i] - '0', PROFILES[kind].slices};
    return OK;
}
API int nvmlDeviceGetGpuInstances(Device *d, unsigned id, Device **v, unsigned *n) {
    CHECK(d);
    *n = 0;
    for (int i = 0; i < MIGS; i++)
        if (d->migs[i].there && PROFILES[profileOf(&d->migs[i])].id == id) v[(*n)++] = &d->migs[i];
    return OK;
}
API int nvmlGpuInstanceGetInfo(Device *m, GiInfo *v) {
    CHECK(m);
    int kind = profileOf(m);
    *v = (GiInfo){&gpus[m->index], m->gi, PROFILES[kind].id, {m->start, PROFILES[kind].slices}};
    return OK;
}
API int nvmlDeviceCreateGpuInstanceWithPlacement(Device *d, unsigned id, Placement *at, Device **created) {
    CHECK(d);
    int kind = profile(id), found = -1;
    if (kind < 0 || at->size != PROFILES[kind].slices || !strchr(PROFILES[kind].starts, '0' + at->start)) return INVALID;
    for (int i = 0; i < MIGS; i++) {
        Device *m = &d->migs[i];
        if (!m->there) found = found < 0 ? i : found;
        else if (m->start < (int)(at->start + at->size) && (int)at->start < m->start + (int)PROFILES[profileOf(m)].slices) return NO_ROOM;
    }
    if (found < 0) return NO_ROOM;
    place(d->index, found, kind, at->start, "");
    *created = &d->migs[found];
    return OK;
}
API int nvmlGpuInstanceDestroy(Device *m) {
    CHECK(m);
    if (*m->uuid) return IN_USE;
    append("gone %d %d\n", m->index, m->place);
    return OK;
}
/* Of the compute instances that an instance may have, the one that is all of it, and that of one slice. */
API int nvmlGpuInstanceGetComputeInstanceProfileInfo(Device *m, unsigned number, unsigned engines, CiProfile *v) {
    static const unsigned slices[] = {1, 2, 3, 4, 7};
    CHECK(m);
    unsigned all = PROFILES[profileOf(m)].compute;
    if (engines || number > 4 || (slices[number] != all && number)) return NOT_SUPPORTED;
    *v = (CiProfile){.id = number, .slices = slices[number], .instances = all / slices[number]};
    return OK;
}
API int nvmlGpuInstanceGetComputeInstances(Device *m, unsigned id, Device **v, unsigned *n) {
    static const unsigned slices[] = {1, 2, 3, 4, 7};
    CHECK(m);
    *n = 0;
    if (*m->uuid && slices[id] == PROFILES[profileOf(m)].compute) v[(*n)++] = m;
    return OK;
}
API int nvmlGpuInstanceCreateComputeInstance(Device *m, unsigned id, Device **created) {
    CHECK(m);
    char uuid[64];
    int kind = profileOf(m);
    if (id > 4) return INVALID;
    snprintf(uuid, sizeof uuid, "MIG-%d-%s-%d", m->index, PROFILES[kind].name, m->start);
    place(m->index, m->place, kind, m->start, uuid);
    *created = m;
    return OK;
}
API int nvmlComputeInstanceDestroy(Device *m) {
    CHECK(m);
    if (m->compute.count) return IN_USE;
    place(m->index, m->place, profileOf(m), m->start, "");
    return OK;
}
API int nvmlDeviceGetGpuInstanceId(Device *d, unsigned *v) { CHECK(d); *v = d->gi; return OK; }
API int nvmlDeviceGetComputeInstanceId(Device *d, unsigned *v) { CHECK(d); *v = d->ci; return OK; }
API int nvmlDeviceGetEnforcedPowerLimit(Device *d, unsigned *v) { CHECK(d); *v = d->power; return OK; }
API int nvmlDeviceGetEccMode(Device *d, int *now, int *pending) { CHECK(d); *now = *pending = d->ecc; return OK; }
API int nvmlDeviceGetUtilizationRates(Device *d, Rates *r) { CHECK(d); WHOLE(d); r->gpu = d->use; return OK; }
API int nvmlDeviceGetPowerUsage(Device *d, unsigned *v) { CHECK(d); WHOLE(d); *v = d->mw; return OK; }
API int nvmlDeviceGetTotalEnergyConsumption(Device *d, unsigned long long *v) { CHECK(d); WHOLE(d); *v = d->mj; return OK; }
API int nvmlDeviceGetTemperature(Device *d, int s, unsigned *v) { CHECK(d); WHOLE(d); (void)s; *v = d->temp; return OK; }
API int nvmlDeviceGetClockInfo(Device *d, int c, unsigned *v) { CHECK(d); WHOLE(d); *v = c == 1 ? d->sm : d->memclk; return OK; }
API int nvmlDeviceGetTotalEccErrors(Device *d, int t, int c, unsigned long long *v) {
    CHECK(d);
    WHOLE(d);
    (void)c;
    if (!d->ecc) return NOT_SUPPORTED;
    *v = t ? d->dbe : d->sbe;
    return OK;
}
static int tell(Processes *from, unsigned *n, Process *p) {
    unsigned room = *n;
    *n = from->count;
    if (room < from->count) return SIZE;
    for (unsigned i = 0; i < from->count; i++) p[i] = (Process){from->pid[i], from->mib[i] ? (unsigned long long)from->mib[i] << 20 : -1ULL, -1, -1};
    return OK;
}
API int nvmlDeviceGetComputeRunningProcesses_v3(Device *d, unsigned *n, Process *p) { CHECK(d); return tell(&d->compute, n, p); }
#ifndef OLD_DRIVER
API int nvmlDeviceGetMPSComputeRunningProcesses_v3(Device *d, unsigned *n, Process *p) { CHECK(d); return tell(&d->mps, n, p); }
#endif
/* Of those that used it, as of now. */
API int nvmlDeviceGetProcessUtilization(Device *d, ProcessUse *p, unsigned *n, unsigned long long since) {
    CHECK(d);
    WHOLE(d);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long at = now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
    unsigned used = 0, most = *n;
    for (unsigned i = 0; i < d->compute.count; i++) used += d->compute.use[i] != 0;
    if (!used || at <= since) return NOT_FOUND;
    *n = used;
    if (!p || most < used) return SIZE;
    for (unsigned i = 0, k = 0; i < d->compute.count; i++)
        if (d->compute.use[i]) p[k++] = (ProcessUse){d->compute.pid[i], at, d->compute.use[i], 0, 0, 0};
    return OK;
}
API int nvmlDeviceGetRetiredPagesPendingStatus(Device *d, int *v) { CHECK(d); *v = 0; return OK; }
API int nvmlDeviceGetRemappedRows(Device *d, unsigned *c, unsigned *u, unsigned *p, unsigned *f) {
    CHECK(d);
    *c = *u = *f = 0;
    *p = d->pending;
    return OK;
}
API int nvmlEventSetCreate(void **s) { CHECK(0); *s = malloc(1); return OK; }
API int nvmlEventSetFree(void *s) { free(s); return OK; }
API int nvmlDeviceRegisterEvents(Device *d, unsigned long long t, void *s) { CHECK(d); (void)s; return t & 8 ? OK : INVALID; }
API int nvmlEventSetWait_v2(void *s, Event *e, unsigned millis) {
    (void)s;
    for (unsigned waited = 0;; waited += 5) {
        CHECK(0);
        if (eventsTaken < eventCount) {
            *e = (Event){&gpus[events[eventsTaken].gpu], 8, events[eventsTaken].code, events[eventsTaken].gi, events[eventsTaken].ci};
            eventsTaken++;
            return OK;
        }
        if (waited >= millis) return TIMEOUT;
        nanosleep(&(struct timespec){0, 5000000}, 0);
    }
}
