/* Calls that change the disk, made to fail: loaded by LD_PRELOAD, armed by ctypes in the process that is to suffer.

   Calls that write below one folder are counted and named. The n-th of them fails with EIO, or finds a full disk, which
   stays full, or kills the process, or stops it until it gets a signal. `seen` and the names are read by ctypes too.
   Environment: with FAULTS_FULL=switch:folder, the disk below `folder` is full while the file `switch` exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OFF, COUNT, BROKEN, FULL, KILL, STOP };
enum { GROWS = 1, OTHER = 0 }; /* whether a full disk refuses the call */
#define MOST 20000
#define NAME 160

static int mode = OFF;
static long target = 0, seen = 0;
static char root[PATH_MAX];
static char names[MOST][NAME];

void faults_arm(int new_mode, long new_target, const char *folder) {
    snprintf(root, sizeof root, "%s", folder);
    target = new_target;
    seen = 0;
    mode = new_mode;
}
long faults_seen(void) { return seen; }
const char *faults_name(long number) { return number < MOST ? names[number] : ""; }

__attribute__((constructor)) static void from_environment(void) {
    const char *given = getenv("FAULTS_FULL"), *colon = given ? strchr(given, ':') : NULL;
    if (colon) {
        snprintf(root, sizeof root, "%s", colon + 1);
        snprintf(names[0], NAME, "%.*s", (int)(colon - given), given);
        mode = FULL;
        target = -1;
    }
}

static int below(const char *path) {
    size_t length = strlen(root);
    return path && length && strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Whether the call fails; errno is then set. 2 if the first half of a write gets through. */
static int fails(const char *call, const char *path, int grows) {
    long place;
    if (target < 0) { /* a switch in the file system */
        int full = grows && access(names[0], F_OK) == 0;
        if (full) errno = ENOSPC;
        return full;
    }
    place = __atomic_fetch_add(&seen, 1, __ATOMIC_SEQ_CST);
    if (place < MOST) snprintf(names[place], NAME, "%s %s%s", grows ? "+" : "", call, path + strlen(root));
    if (mode == COUNT || place < target) return 0;
    if (mode == KILL && place == target) raise(SIGKILL);
    if (mode == STOP && place == target) raise(SIGSTOP);
    if (mode == BROKEN && place == target) {
        errno = EIO;
        return 1;
    }
    if (mode == FULL && (grows || place == target)) {
        errno = ENOSPC;
        return place == target ? 2 : 1;
    }
    return 0;
}

static int path_fails(const char *call, const char *path, int grows) {
    return mode != OFF && below(path) && fails(call, path, grows);
}

static int file_fails(const char *call, int file, int grows) {
    char link[64], path[PATH_MAX];
    ssize_t length;
    int before = errno;
    if (mode == OFF) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length <= 0) return 0;
    path[length] = 0;
    return below(path) ? fails(call, path, grows) : 0;
}

#define REAL(type, name, ...)                                  \
    static type (*real)(__VA_ARGS__) = NULL;                   \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void *data, size_t n) {
    REAL(ssize_t, "write", int, const void *, size_t);
    int failed = file_fails("write", file, GROWS);
    if (failed == 2 && n > 1) return real(file, data, n / 2);
    return failed ? -1 : real(file, data, n);
}

#define PWRITE(name, offset)                                                            \
    ssize_t name(int file, const void *data, size_t n, offset at) {                     \
        REAL(ssize_t, #name, int, const void *, size_t, offset);                        \
        int failed = file_fails("write", file, GROWS);                                  \
        if (failed == 2 && n > 1) return real(file, data, n / 2, at);                   \
        return failed ? -1 : real(file, data, n, at);                                   \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int file, const struct iovec *parts, int n) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    return file_fails("write", file, GROWS) ? -1 : real(file, parts, n);
}

size_t fwrite(const void *data, size_t size, size_t n, FILE *stream) {
    REAL(size_t, "fwrite", const void *, size_t, size_t, FILE *);
    return file_fails("write", fileno(stream), GROWS) ? 0 : real(data, size, n, stream);
}

int fflush(FILE *stream) {
    REAL(int, "fflush", FILE *);
    return stream && file_fails("write", fileno(stream), GROWS) ? EOF : real(stream);
}

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t n, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
    return file_fails("write", to, GROWS) ? -1 : real(from, at, to, there, n, flags);
}

#define SENDFILE(name, offset)                                                          \
    ssize_t name(int to, int from, offset *at, size_t n) {                              \
        REAL(ssize_t, #name, int, int, offset *, size_t);                               \
        return file_fails("write", to, GROWS) ? -1 : real(to, from, at, n);             \
    }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

#define ONE_FILE(name)                                                                  \
    int name(int file) {                                                                \
        REAL(int, #name, int);                                                          \
        return file_fails(#name, file, OTHER) ? -1 : real(file);                        \
    }
ONE_FILE(fsync)
ONE_FILE(fdatasync)

#define TRUNCATE(name, offset)                                                          \
    int name(int file, offset size) {                                                   \
        REAL(int, #name, int, offset);                                                  \
        return file_fails("ftruncate", file, size > 0 ? GROWS : OTHER) ? -1 : real(file, size); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int posix_fallocate(int file, off_t at, off_t size) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    return file_fails("fallocate", file, GROWS) ? errno : real(file, at, size);
}

#define ONE_PATH(name, grows)                                                           \
    int name(const char *path) {                                                        \
        REAL(int, #name, const char *);                                                 \
        return path_fails(#name, path, grows) ? -1 : real(path);                        \
    }
ONE_PATH(unlink, OTHER)
ONE_PATH(rmdir, OTHER)

int mkdir(const char *path, mode_t rights) {
    REAL(int, "mkdir", const char *, mode_t);
    return path_fails("mkdir", path, GROWS) ? -1 : real(path, rights);
}

#define TWO_PATHS(name, grows)                                                          \
    int name(const char *from, const char *to) {                                        \
        REAL(int, #name, const char *, const char *);                                   \
        return path_fails(#name, to, grows) ? -1 : real(from, to);                      \
    }
TWO_PATHS(rename, OTHER)
TWO_PATHS(link, GROWS)

#define OPEN(name)                                                                      \
    int name(const char *path, int flags, ...) {                                        \
        REAL(int, #name, const char *, int, ...);                                       \
        mode_t rights = 0;                                                              \
        if (flags & (O_CREAT | O_TMPFILE)) {                                            \
            va_list more;                                                               \
            va_start(more, flags);                                                      \
            rights = va_arg(more, mode_t);                                              \
            va_end(more);                                                               \
        }                                                                               \
        if ((flags & O_CREAT) && mode != OFF && below(path) && (flags & O_EXCL || access(path, F_OK))) \
            if (fails("create", path, GROWS)) return -1;                                \
        return real(path, flags, rights);                                               \
    }
OPEN(open)
OPEN(open64)
