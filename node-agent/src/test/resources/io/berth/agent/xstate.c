/* Preloaded into linux.uml: PTRACE_SETREGSET takes an XSAVE area that is as long as the processor's alone, and linux.uml
 * has one that ends where AMX begins. What it gives is laid over the area that the process has; what would begin behind it
 * or is cut is as in a process that never used it. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum { LEAF = 0xD, HEADER = 512, FIRST = 2, LAST = 62, LONGEST = 1 << 16 };

/* The components that are whole in so many bytes: x87 and SSE are before the header, and what only the kernel saves is
 * not in this area. */
static uint64_t whole_within(size_t length) {
    uint64_t whole = 3;
    for (unsigned each = FIRST; each <= LAST; each++) {
        unsigned size, offset, flags, unused;
        __cpuid_count(LEAF, each, size, offset, flags, unused);
        if (size > 0 && !(flags & 1) && offset + size <= length) {
            whole |= UINT64_C(1) << each;
        }
    }
    return whole;
}

long ptrace(enum __ptrace_request request, ...) {
    static long (*libc)(enum __ptrace_request, ...);
    static char area[LONGEST]; /* The stack is a few pages. */
    static size_t length;
    static uint64_t whole;

    va_list arguments;
    va_start(arguments, request);
    int process = va_arg(arguments, int);
    void *address = va_arg(arguments, void *);
    void *data = va_arg(arguments, void *);
    va_end(arguments);
    if (!libc) {
        libc = (long (*)(enum __ptrace_request, ...))dlsym(RTLD_NEXT, "ptrace");
    }
    if (request != PTRACE_SETREGSET || (uintptr_t)address != NT_X86_XSTATE) {
        return libc(request, process, address, data);
    }
    struct iovec *given = data;
    struct iovec all = {area, sizeof area};
    if (libc(PTRACE_GETREGSET, process, address, &all) < 0) {
        return -1;
    }
    if (given->iov_len >= all.iov_len) {
        return libc(request, process, address, data);
    }
    if (given->iov_len != length) { /* To a guest of a hypervisor each look at the processor is dear. */
        length = given->iov_len;
        whole = whole_within(length);
    }
    memcpy(area, given->iov_base, given->iov_len);
    *(uint64_t *)(area + HEADER) &= whole;
    return libc(request, process, address, &all);
}
