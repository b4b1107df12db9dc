#include "mtx.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mtx_close(mtx_file *f)
{
    if (f->stream)
        fclose(f->stream);
    f->stream = NULL;
}

/* Stores the message, closes the file and returns false. */
static bool fail(mtx_file *f, const char *format, ...)
{
    char message[250];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (f->line)
        snprintf(f->error, sizeof f->error, "%.120s:%zu: %s", f->path, f->line, message);
    else
        snprintf(f->error, sizeof f->error, "%.120s: %s", f->path, message);
    mtx_close(f);
    return false;
}

typedef enum { LINE, END, FAILED } line_result;

/* Reads the next line into f->text. Of a comment that is too long, it keeps the start. */
static line_result next_line(mtx_file *f)
{
    if (!fgets(f->text, sizeof f->text, f->stream)) {
        if (!ferror(f->stream))
            return END;
        fail(f, "cannot read: %s", strerror(errno));
        return FAILED;
    }
    f->line++;
    if (strlen(f->text) < sizeof f->text - 1)
        return LINE;
    if (f->text[0] != '%') {
        fail(f, "the line is longer than the 1024 characters that the format allows");
        return FAILED;
    }
    for (int c = f->text[sizeof f->text - 2]; c != EOF && c != '\n'; c = getc(f->stream))
        continue;
    return LINE;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* The same for the next line that is neither a comment nor blank. */
static line_result next_data_line(mtx_file *f)
{
    line_result result;
    do
        result = next_line(f);
    while (result == LINE && (f->text[0] == '%' || is_blank(f->text)));
    return result;
}

/* Takes a whole number off the front of *text. */
static bool take_size(char **text, size_t *value)
{
    char *start = *text + strspn(*text, " \t");
    if (!isdigit((unsigned char)*start))   /* strtoull takes a sign as well */
        return false;
    errno = 0;
    unsigned long long number = strtoull(start, text, 10);
    *value = (size_t)number;
    return errno == 0 && number <= SIZE_MAX
        && (**text == '\0' || isspace((unsigned char)**text));
}

static bool read_banner(mtx_file *f)
{
    char banner[20] = "", object[20] = "", format[20] = "", field[20] = "", symmetry[20] = "";
    char *words[] = { banner, object, format, field, symmetry };
    line_result got = next_line(f);
    if (got == FAILED)
        return false;
    if (got == LINE)
        sscanf(f->text, "%19s %19s %19s %19s %19s", banner, object, format, field, symmetry);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (char *c = words[i]; *c; c++)
            *c = (char)tolower((unsigned char)*c);

    if (strcmp(banner, "%%matrixmarket") != 0)
        return fail(f, "not a Matrix Market file: it does not start with %%%%MatrixMarket");
    if (strcmp(object, "matrix") != 0)
        return fail(f, "the file holds '%s', it must be matrix", object);
    f->array = strcmp(format, "array") == 0;
    if (!f->array && strcmp(format, "coordinate") != 0)
        return fail(f, "the format is '%s', it must be coordinate or array", format);
    f->integer = strcmp(field, "integer") == 0;
    if (!f->integer && strcmp(field, "real") != 0)
        return fail(f, "the field is '%s', it must be real or integer", field);
    f->general = strcmp(symmetry, "general") == 0;
    if (!f->general && strcmp(symmetry, "symmetric") != 0)
        return fail(f, "the symmetry is '%s', it must be symmetric or general", symmetry);
    return true;
}

bool mtx_open(mtx_file *f, const char *path)
{
    *f = (mtx_file){ .path = path };
    f->stream = fopen(path, "r");
    if (!f->stream)
        return fail(f, "%s", strerror(errno));
    if (!read_banner(f))
        return false;

    line_result got = next_data_line(f);
    if (got == FAILED)
        return false;
    size_t columns;
    char *text = f->text;
    if (got == END || !take_size(&text, &f->n) || !take_size(&text, &columns)
        || !(f->array || take_size(&text, &f->entries)) || !is_blank(text))
        return fail(f, "the number of rows%s must stand here",
                    f->array ? " and columns" : ", columns and entries");
    if (f->n != columns)
        return fail(f, "the matrix is not square: %zu rows, %zu columns", f->n, columns);
    if (f->n == 0)
        return fail(f, "the matrix is empty");
    if (f->array)   /* wraps around only for an n too large for mtx_read to have any memory */
        f->entries = f->general ? f->n * f->n : f->n * (f->n + 1) / 2;
    return true;
}

/* Reads entry number `count`, from 0, of the file. For an array, *i and *j are on entry the row and
 * column of the one before. */
static bool read_entry(mtx_file *f, size_t count, size_t *i, size_t *j, double *value)
{
    line_result got = next_data_line(f);
    if (got == FAILED)
        return false;
    if (got == END)
        return fail(f, "the file ends after %zu of %zu entries", count, f->entries);

    const char *expected = f->array ? "a number" : "a row, a column and a number";
    char *text = f->text, *end;
    if (!f->array) {
        if (!take_size(&text, i) || !take_size(&text, j))
            return fail(f, "%s must stand here", expected);
        if (*i < 1 || *i > f->n || *j < 1 || *j > f->n)
            return fail(f, "element (%zu, %zu) is outside of the matrix, which is %zu x %zu",
                        *i, *j, f->n, f->n);
        if (!f->general && *i < *j)
            return fail(f, "element (%zu, %zu) is above the diagonal in a symmetric file", *i, *j);
        --*i;
        --*j;
    } else if (count > 0 && ++*i == f->n) {
        ++*j;
        *i = f->general ? 0 : *j;
    }
    if (is_blank(text))
        return fail(f, "%s must stand here", expected);
    *value = strtod(text, &end);
    if (end == text || !is_blank(end)) {
        text[strcspn(text, "\r\n")] = '\0';
        return fail(f, "'%.40s' is not a number", text + strspn(text, " \t"));
    }
    if (!isfinite(*value))
        return fail(f, "the number is not finite");
    if (f->integer && *value != floor(*value))
        return fail(f, "%g is not an integer", *value);
    return true;
}

static bool check_symmetry(mtx_file *f, const double *a, size_t ld)
{
    f->line = 0;
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = 0; j < i; j++) {
            double x = a[i * ld + j], y = a[j * ld + i];
            if (fabs(x - y) > 1e-12 * fmax(fabs(x), fabs(y)))
                return fail(f, "not symmetric: element (%zu, %zu) is %.*g, (%zu, %zu) is %.*g",
                            i + 1, j + 1, DBL_DIG, x, j + 1, i + 1, DBL_DIG, y);
        }
    return true;
}

bool mtx_read(mtx_file *f, double *a, size_t ld)
{
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = 0; j < f->n; j++)
            a[i * ld + j] = 0;

    for (size_t count = 0, i = 0, j = 0; count < f->entries; count++) {
        double value = 0;
        if (!read_entry(f, count, &i, &j, &value))
            return false;
        a[i * ld + j] += value;
        if (!f->general && i != j)
            a[j * ld + i] += value;
    }
    line_result rest = next_data_line(f);
    if (rest == FAILED)
        return false;
    if (rest == LINE)
        return fail(f, "there are more than the %zu entries announced", f->entries);
    if (f->general && !check_symmetry(f, a, ld))
        return false;
    mtx_close(f);
    return true;
}
