#include "confinement.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

// Sanitizers reserve terabytes of addresses and open files of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define YMIR_SANITIZED
#endif

#if defined(YMIR_HAS_SECCOMP) && !defined(YMIR_SANITIZED)
#define YMIR_FILTERS
#include <seccomp.h>
#endif

namespace ymir {
namespace {

constexpr int cannot_confine = 126;

void must(bool done) {
  if (!done) _exit(cannot_confine);
}

void limit(int resource, std::uint64_t value) {
  // A limit that is lower already stays.
  rlimit bound{};
  must(getrlimit(static_cast<__rlimit_resource>(resource), &bound) == 0);
  if (bound.rlim_max < value) value = bound.rlim_max;
  bound = {value, value};
  must(setrlimit(static_cast<__rlimit_resource>(resource), &bound) == 0);
}

#ifdef YMIR_FILTERS
// Memory that cannot be executed, the open descriptors, the clock, locks, and the ways to end. Everything else is
// answered "not permitted", which libraries that look around (for processors, locales) live with.
void filter_system_calls() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  must(filter != nullptr);
  for (const int call :
       {SCMP_SYS(read),           SCMP_SYS(write),         SCMP_SYS(readv),        SCMP_SYS(writev),
        SCMP_SYS(lseek),          SCMP_SYS(fstat),         SCMP_SYS(close),        SCMP_SYS(brk),
        SCMP_SYS(munmap),         SCMP_SYS(mremap),        SCMP_SYS(madvise),      SCMP_SYS(futex),
        SCMP_SYS(sched_yield),    SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(getrandom),
        SCMP_SYS(getpid),         SCMP_SYS(gettid),        SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
        SCMP_SYS(rt_sigreturn),   SCMP_SYS(sigaltstack),   SCMP_SYS(exit),         SCMP_SYS(exit_group),
        SCMP_SYS(restart_syscall)})
    must(seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0);
  // What fstat() is in newer C libraries: only of a descriptor, never of a path.
  must(seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
                        SCMP_A3(SCMP_CMP_EQ, static_cast<scmp_datum_t>(AT_EMPTY_PATH))) == 0);
  // Whether a descriptor can be read or written, asked before a stream is made of it.
  must(seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, F_GETFL)) == 0);
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    must(seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0);
  // abort() ends this process, nobody else's.
  must(seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                        SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()))) == 0);
  must(seccomp_load(filter) == 0);
  seccomp_release(filter);
}
#endif

}  // namespace

bool filters_system_calls() {
#ifdef YMIR_FILTERS
  return true;
#else
  return false;
#endif
}

void confine(const Confinement& confinement) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  close_range(confinement.descriptors, ~0u, 0);  // nothing of the parent is within reach
  mallopt(M_ARENA_MAX, 1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, confinement.cpu_seconds);
  if (!confinement.writes_files) limit(RLIMIT_FSIZE, 0);
#ifndef YMIR_SANITIZED
  limit(RLIMIT_NOFILE, confinement.descriptors);
  limit(RLIMIT_NPROC, 0);  // counts all processes of the user: no further one, and no thread
  limit(RLIMIT_AS, confinement.memory_bytes);
#endif
#ifdef YMIR_FILTERS
  filter_system_calls();
#endif
}

}  // namespace ymir
