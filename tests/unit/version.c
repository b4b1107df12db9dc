/* version.c - DF_VERSION, its parts, its text, and the version of the implementation */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

#if DF_VERSION < 900
#error "DF_VERSION is no number for the preprocessor"
#endif

int main(void)
{
    int major, minor, patch;
    char more;
    CHECK(sscanf(DF_VERSION_STRING, "%d.%d.%d%c", &major, &minor, &patch, &more) == 3);
    CHECK(major == DF_VERSION_MAJOR && minor == DF_VERSION_MINOR && patch == DF_VERSION_PATCH);
    CHECK(minor < 100 && patch < 100 && DF_VERSION == 10000 * major + 100 * minor + patch);
    CHECK(df_version() == DF_VERSION && df_abi() == DF_ABI);
    printf("%s %d\n", DF_VERSION_STRING, df_version());
    return 0;
}
