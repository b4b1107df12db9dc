/* restart.c - df_start and df_stop 200 times with different settings; constructs between them start the
 * pool by themselves */
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

int main(void)
{
    for (int i = 0; i < 200; i++) {
        df_config c = { 0 };
        c.workers = 1 + i % 5;
        c.deque = i % 3 ? (size_t)2 << i % 12 : 0;
        c.window = i % 4 ? (size_t)(i % 7 + 1) : 0;
        c.stack_bytes = i % 2 ? 1u << 20 : 0;
        CHECK(df_start(&c) == DF_OK);
        CHECK(df_workers() == c.workers);
        CHECK(df_worker() == 0);
        if (i % 10) CHECK(work_right());
        df_stop();
        if (i % 20 == 7) {
            CHECK(work_right()); /* starts it again, with the defaults */
            df_stop();
            df_stop(); /* twice does no harm */
        }
        if (i % 20 == 9) {
            uint64_t one = 1, x = 0;
            CHECK(df_start(NULL) == DF_OK);
            df_submit(work_add, &one, &x, 1); /* df_stop waits for the caller's tasks */
            df_stop();
            CHECK(x == 1);
        }
    }
}
