/* A node of a task that was not declared. */
#include "../../df.h"

void *wait_for_two(void)
{
    return df_node_new(sum); /* expect: sum_dfi_node_new */
}
