#include "tsplib.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 10000000,   /* so that the length of a tour of 64 cities, and twice that, are of type int */
    FARTHEST = 1000000    /* of a coordinate from 0 */
};

/* --- distances: how they are rounded decides which tour is the shortest ----------------------- */

typedef struct { double x, y; } place;

static int euclidean(place p, place q) { return (int)(hypot(p.x - q.x, p.y - q.y) + 0.5); }

static int pseudo_euclidean(place p, place q)
{
    double r = sqrt(((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y)) / 10);
    int t = (int)(r + 0.5);
    return t < r ? t + 1 : t;
}

/* From degrees.minutes, with the value of pi that the optima of TSPLIB were computed with. */
static double radians(double x)
{
    int degrees = (int)x;
    return 3.141592 * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0;
}

static int geographical(place p, place q)
{
    double q1 = cos(radians(p.y) - radians(q.y));
    double q2 = cos(radians(p.x) - radians(q.x));
    double q3 = cos(radians(p.x) + radians(q.x));
    double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);   /* rounded: perhaps more than 1 */
    return (int)(6378.388 * acos(fmax(-1.0, fmin(cosine, 1.0))) + 1.0);
}

typedef int metric(place p, place q);

static void measure(tsp *t, const place *p, metric *distance)
{
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < i; j++)
            t->distance[i][j] = t->distance[j][i] = distance(p[i], p[j]);
}

void tsp_generate(tsp *t, int n)
{
    place p[TSP_CITIES];
    uint32_t random = 1;
    *t = (tsp){ .n = n };
    snprintf(t->name, sizeof t->name, "random%d", n);
    for (int i = 0; i < 2 * n; i++) {
        random = random * 1664525u + 1013904223u;   /* Numerical Recipes, 7.1 */
        *(i % 2 ? &p[i / 2].y : &p[i / 2].x) = (double)(random >> 16) * 1000 / 65536;
    }
    measure(t, p, euclidean);
}

/* --- files ------------------------------------------------------------------------------------ */

static bool read_places(tsp *t, FILE *f, metric *distance)
{
    place p[TSP_CITIES];
    for (int i = 0; i < t->n; i++)
        if (fscanf(f, "%*s %lf %lf", &p[i].x, &p[i].y) != 2
            || !(fabs(p[i].x) <= FARTHEST && fabs(p[i].y) <= FARTHEST))   /* nor is one a NaN */
            return false;
    measure(t, p, distance);
    return true;
}

static bool read_matrix(tsp *t, FILE *f, bool full)
{
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < (full ? t->n : i + 1); j++) {
            char word[40] = "", *end;
            long d = fscanf(f, "%39s", word) == 1 ? strtol(word, &end, 10) : -1;   /* too large a number: LONG_MAX */
            if (d < 0 || d > LONGEST || end == word || *end)
                return false;
            t->distance[j][i] = t->distance[i][j] = (int)d;
        }
    return true;
}

/* A number from 0 to TSP_CITIES; -1: it is not one. */
static int whole(const char *text)
{
    long n = strtol(text, NULL, 10);
    return n >= 0 && n <= TSP_CITIES ? (int)n : -1;
}

/* A message for a wrong file, or NULL. */
static const char *read_problem(tsp *t, FILE *f)
{
    char line[200], keyword[40], value[40], type[40] = "", format[40] = "";
    while (fgets(line, sizeof line, f)) {
        int words = sscanf(line, " %39[A-Z0-9_] : %39s", keyword, value);
        if (words < 1)
            continue;
        if (words == 2 && !strcmp(keyword, "NAME"))
            snprintf(t->name, sizeof t->name, "%.*s", (int)strcspn(value, "."), value);
        else if (words == 2 && !strcmp(keyword, "DIMENSION"))
            t->n = whole(value);
        else if (words == 2 && !strcmp(keyword, "EDGE_WEIGHT_TYPE"))
            strcpy(type, value);
        else if (words == 2 && !strcmp(keyword, "EDGE_WEIGHT_FORMAT"))
            strcpy(format, value);
        else if (strstr(keyword, "_SECTION")) {
            metric *distance = !strcmp(type, "EUC_2D") ? euclidean
                             : !strcmp(type, "ATT") ? pseudo_euclidean
                             : !strcmp(type, "GEO") ? geographical : NULL;
            bool full = !strcmp(format, "FULL_MATRIX"), lower = !strcmp(format, "LOWER_DIAG_ROW");
            if (t->n < 4 || t->n > TSP_CITIES)
                return "DIMENSION must be from 4 to 64";
            if (!strcmp(keyword, "NODE_COORD_SECTION") && distance)
                return read_places(t, f, distance) ? NULL : "coordinates are missing, or farther from 0 than 1000000";
            if (!strcmp(keyword, "EDGE_WEIGHT_SECTION") && (full || lower))
                return read_matrix(t, f, full) ? NULL : "distances are missing, or not from 0 to 10000000";
            return "its EDGE_WEIGHT_TYPE or EDGE_WEIGHT_FORMAT is not among those in tsplib.h";
        }
    }
    return "neither NODE_COORD_SECTION nor EDGE_WEIGHT_SECTION is in it";
}

bool tsp_read(tsp *t, const char *path, char error[200])
{
    const char *wrong = "cannot be opened";
    FILE *f = fopen(path, "r");
    *t = (tsp){ .n = 0 };
    if (f) {
        wrong = read_problem(t, f);
        fclose(f);
    }
    if (wrong)
        snprintf(error, 200, "%.100s: %s", path, wrong);
    return !wrong;
}

int tsp_known_optimum(const tsp *t, const char *path)
{
    const char *slash = strrchr(path, '/');
    char list[1000], line[200], name[40];
    int optimum = 0, length;
    snprintf(list, sizeof list, "%.*soptima.txt", slash ? (int)(slash - path + 1) : 0, path);
    FILE *f = fopen(list, "r");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%39s %*d %d", name, &length) == 2 && !strcmp(name, t->name))
            optimum = length;
    fclose(f);
    return optimum;
}
