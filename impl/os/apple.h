/* apple.h - Apple's systems: the clock of condition variables cannot be chosen, so they wait for a duration */
#ifndef DFI_OS_APPLE_H
#define DFI_OS_APPLE_H

DFI_EXTERN_C_BEGIN
extern char ***dfi_sys_environ(void) __asm__("__NSGetEnviron");
DFI_EXTERN_C_END
DFI_UNUSED static char **dfi_os_environment(void) { return *dfi_sys_environ(); }

DFI_UNUSED static int dfi_os_condition_init(pthread_cond_t *c) { return pthread_cond_init(c, NULL); }
DFI_UNUSED static int dfi_os_condition_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *end)
{
    struct timespec t;
    dfi_os_now(&t);
    t.tv_sec = end->tv_sec - t.tv_sec, t.tv_nsec = end->tv_nsec - t.tv_nsec;
    if (t.tv_nsec < 0) t.tv_nsec += 1000000000, t.tv_sec--;
    return t.tv_sec < 0 || pthread_cond_timedwait_relative_np(c, m, &t);
}

#endif
