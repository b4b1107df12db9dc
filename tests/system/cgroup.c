/* cgroup.c - the CPUs a cgroup quota allows, read from made-up /proc and /sys trees: v1, v2, both, nested,
 * none, nonsense */
#define _DEFAULT_SOURCE
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include "made_up.h"

/* Writes root/path. */
static void file(const char *path, const char *text) { made_up("", path, text); }

#define V2 "/sys/fs/cgroup"
#define V1 "/sys/fs/cgroup/cpu,cpuacct"
#define SELF "/proc/self/cgroup"

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/df_cgroup_%ld", tmp ? tmp : "/tmp", (long)getpid());
    clear();
    CHECK(dfi_cgroup_cpus(root) == 0); /* no /proc */

    file(SELF, "0::/a/b\n");
    CHECK(dfi_cgroup_cpus(root) == 0); /* no files */
    file(V2 "/a/b/cpu.max", "max 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 0);
    file(V2 "/a/cpu.max", "350000 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 4); /* rounded up; the parent limits the child */
    file(V2 "/a/b/cpu.max", "200000 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 2);
    file(V2 "/a/b/cpu.max", "900000 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 4);
    file(V2 "/cpu.max", "1000 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 1); /* a hundredth of a CPU is one worker */

    clear(); /* in a container: the path is the host's, the mount shows the own group */
    file(SELF, "0::/system.slice/docker-0123456789.scope\n");
    file(V2 "/cpu.max", "300000 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 3);

    clear();
    file(SELF, "0::/\n");
    file(V2 "/cpu.max", "300000 50000\n");
    CHECK(dfi_cgroup_cpus(root) == 6);
    static const char *const nonsense[] = { "", "\n", "abc", "max", "-1 100000", "0 100000", "100000", "100000 0",
                                            "100000 -5", "99999999999999999999999999 100000" };
    for (unsigned i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        file(V2 "/cpu.max", nonsense[i]);
        int n = dfi_cgroup_cpus(root);
        CHECK(n == 0 || (i == 9 && n > 1000)); /* or as good as none */
    }

    clear();
    file(SELF, "12:cpuset:/x\n11:memory:/a\n4:cpu,cpuacct:/a/b\n1:name=systemd:/y\n");
    file("/sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "100000\n");
    file("/sys/fs/cgroup/cpuset/x/cpu.cfs_period_us", "100000\n");
    CHECK(dfi_cgroup_cpus(root) == 0); /* cpuset is not cpu */
    file(V1 "/a/b/cpu.cfs_quota_us", "-1\n");
    file(V1 "/a/b/cpu.cfs_period_us", "100000\n");
    CHECK(dfi_cgroup_cpus(root) == 0);
    file(V1 "/a/cpu.cfs_quota_us", "500000\n");
    CHECK(dfi_cgroup_cpus(root) == 0); /* without its period */
    file(V1 "/a/cpu.cfs_period_us", "100000\n");
    CHECK(dfi_cgroup_cpus(root) == 5);
    file(V1 "/a/b/cpu.cfs_quota_us", "250000\n");
    CHECK(dfi_cgroup_cpus(root) == 3);
    file(V1 "/cpu.cfs_quota_us", "10000\n");
    file(V1 "/cpu.cfs_period_us", "10000\n");
    CHECK(dfi_cgroup_cpus(root) == 1);

    clear(); /* cpu alone, or named second; mounted as /sys/fs/cgroup/cpu */
    file(SELF, "4:cpu:/a\n");
    file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "200000\n");
    file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    CHECK(dfi_cgroup_cpus(root) == 2);
    file(SELF, "4:cpuacct,cpu:/a\n");
    CHECK(dfi_cgroup_cpus(root) == 2);
    file(SELF, "4:cpuacct,cpu,x:/a:b\n0::/\n"); /* a colon in a name */
    file("/sys/fs/cgroup/cpu/a:b/cpu.cfs_quota_us", "100000\n");
    file("/sys/fs/cgroup/cpu/a:b/cpu.cfs_period_us", "100000\n");
    CHECK(dfi_cgroup_cpus(root) == 1);

    clear(); /* both versions: the smaller */
    file(SELF, "4:cpu:/a\n0::/b\n");
    file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
    file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    file(V2 "/b/cpu.max", "200000 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 2);
    file(V2 "/b/cpu.max", "700000 100000\n");
    CHECK(dfi_cgroup_cpus(root) == 3);

    static const char *const lines[] = { "", "\n", ":", "::", "4:cpu", "4:cpu:", "0::", "x\n0::/a\n",
                                         "0::/../../../..\n" };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        file(SELF, lines[i]);
        CHECK(dfi_cgroup_cpus(root) >= 0);
    }
    char longer[5000] = "0::/";
    memset(longer + 4, 'x', sizeof longer - 5);
    longer[sizeof longer - 1] = 0;
    file(SELF, longer);
    CHECK(dfi_cgroup_cpus(root) >= 0);
    CHECK(dfi_os_cpus() >= 1);
    clear();
    rmdir(root);
}
