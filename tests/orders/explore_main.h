/* explore_main.h - the program of a file that includes explore.h and defines prepare() and scenarios
 *
 *   run N          N random executions of each scenario: all have to be right
 *   list           what can be weakened at the places of impl/, one line each:
 *                  FUNCTION: ACCESS of OBJECT, ORDER to WEAKER (LINE)
 *   weaken LINE N  at most N executions with the order of that line weakened: one has to be wrong */

static void explore_line(char *to, size_t bytes, const explore::place &s, rl::memory_order weaker)
{
    std::snprintf(to, bytes, "%s: %s of %s, %s to %s (%d)", s.function, s.access, s.object, explore::name(s.order),
                  explore::name(weaker), s.line);
}

static std::ostream explore_nowhere(NULL);

/* True: n executions of a scenario were right. EXPLORE_HISTORY: else prints the accesses of the one that was wrong. */
static bool explore_scenario(const scenario &s, unsigned long n)
{
    rl::test_params p;
    p.iteration_count = n;
    p.execution_depth_limit = 4000;
    p.output_history = p.collect_history = std::getenv("EXPLORE_HISTORY") != NULL;
    if (!p.output_history) p.output_stream = p.progress_stream = &explore_nowhere;
    if (s.simulate(p)) return true;
    std::printf("  %s\n", rl::test_result_str(p.test_result));
    std::fflush(stdout);
    return false;
}

/* The same in a process of its own. */
static bool explore_apart(const scenario &s, unsigned long n)
{
    int status;
    pid_t child = fork();
    if (child == 0) _exit(!explore_scenario(s, n));
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Nonzero: a scenario is wrong, whose name is printed. EXPLORE_ONLY: the name of the only one to run */
static int explore_all(unsigned long n)
{
    const char *only = std::getenv("EXPLORE_ONLY");
    for (const scenario &s : scenarios)
        if ((!only || !std::strcmp(only, s.name)) && !explore_apart(s, n)) return std::printf("%s\n", s.name);
    return 0;
}

int main(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "";
    const unsigned long n = argc > 2 ? std::strtoul(argv[argc - 1], NULL, 10) : 0;
    char line[512];
    prepare();
    if (mode == "run" && argc == 3) return explore_all(n) != 0;
    if (!(mode == "list" && argc == 2) && !(mode == "weaken" && argc == 4)) return 2;
    for (const scenario &s : scenarios) explore_scenario(s, 3000); /* finds the places */
    for (explore::place *s = explore::places; s; s = s->next)
        for (rl::memory_order weaker : explore::steps(*s)) {
            explore_line(line, sizeof line, *s, weaker);
            if (mode == "list") std::puts(line);
            else if (!std::strcmp(line, argv[2])) {
                explore::weakened = s, explore::weaker = weaker;
                for (unsigned long some = 1000; some <= n; some *= 10)
                    if (explore_all(some)) return 0;
                return std::puts("no execution is wrong"), 1;
            }
        }
    if (mode == "weaken") std::puts("there is no such place");
    return mode == "weaken";
}
