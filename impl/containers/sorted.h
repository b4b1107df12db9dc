/* sorted.h - sorted maps and heaps: a red-black tree
 *
 * An element is red or black; the root is black, a red element has no red child, and on all ways down there are equally
 * many black ones. So an operation reads few words, and writes near its element. A heap is the same with keys that
 * repeat: an element comes behind its equals. Left and right are child[0] and child[1], so that the mirrored case is
 * the same code.
 * Source: Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", chapter 13; without the sentinel, which every
 * removal would write. */
#ifndef DFI_CONTAINERS_SORTED_H
#define DFI_CONTAINERS_SORTED_H

#include "../base/compiler.h"
#include "../api/containers.h"
#include "cell.h"
#include "../../df_stm.h"

DFI_INLINE struct dfi_cell **dfi_child_link(struct dfi_cell *x, int side)
{
    return &((struct dfi_node *)(void *)x)->child[side];
}
DFI_INLINE struct dfi_cell *dfi_child(struct dfi_cell *x, int side) { return dfi_link_read(dfi_child_link(x, side)); }
DFI_INLINE struct dfi_cell *dfi_parent(struct dfi_cell *x) { return dfi_link_read(&x->next); }
DFI_INLINE void dfi_parent_write(struct dfi_cell *x, struct dfi_cell *parent) { dfi_link_write(&x->next, parent); }
DFI_INLINE int dfi_side_of(struct dfi_cell *parent, struct dfi_cell *x) { return dfi_child(parent, 1) == x; }
DFI_INLINE int dfi_is_red(struct dfi_cell *x) { return x && df_tm_read(&((struct dfi_node *)(void *)x)->red); }

static void dfi_paint(struct dfi_cell *x, int red)
{
    if (dfi_is_red(x) != red) /* memory that is not written does not disturb its readers */
        df_tm_write(&((struct dfi_node *)(void *)x)->red, (size_t)red);
}

/* --- search ---------------------------------------------------------------------------------------- */

/* at: the first element that does not come before the key, or NULL; leaf: the last one on the way down, or NULL: there
 * is none; side: of the leaf, where an element with this key belongs */
struct dfi_sorted_found { struct dfi_cell *at, *leaf; int side; };

/* behind: at comes after the key. */
DFI_INLINE struct dfi_sorted_found dfi_sorted_find(const struct dfi_container *c, const struct dfi_sorted *s,
                                                   const void *key, int behind)
{
    struct dfi_sorted_found f = { NULL, NULL, 0 };
    struct dfi_cell *x = dfi_link_read(&s->root);
    while (x) {
        f.leaf = x;
        f.side = behind ? !c->compare(key, dfi_cell_key(c, x)) : c->compare(dfi_cell_key(c, x), key);
        if (!f.side) f.at = x;
        x = dfi_child(x, f.side);
    }
    return f;
}

/* at: the element with this key, or NULL */
DFI_INLINE struct dfi_sorted_found dfi_sorted_find_equal(const struct dfi_container *c, const struct dfi_sorted *s,
                                                         const void *key)
{
    struct dfi_sorted_found f = dfi_sorted_find(c, s, key, 0);
    if (f.at && c->compare(key, dfi_cell_key(c, f.at))) f.at = NULL;
    return f;
}

/* The first or last element below x, or x. */
DFI_INLINE struct dfi_cell *dfi_sorted_end_below(struct dfi_cell *x, int side)
{
    struct dfi_cell *below;
    while (x && (below = dfi_child(x, side)) != NULL) x = below;
    return x;
}

/* The element behind x, or NULL. */
static struct dfi_cell *dfi_sorted_behind(struct dfi_cell *x)
{
    struct dfi_cell *parent = dfi_child(x, 1);
    if (parent) return dfi_sorted_end_below(parent, 0);
    while ((parent = dfi_parent(x)) != NULL && dfi_side_of(parent, x)) x = parent;
    return parent;
}

/* --- changes --------------------------------------------------------------------------------------- */

/* `by`, or nothing, takes the place of x below parent, or as the root. */
static void dfi_sorted_replace(struct dfi_sorted *s, struct dfi_cell *parent, struct dfi_cell *x, struct dfi_cell *by)
{
    dfi_link_write(parent ? dfi_child_link(parent, dfi_side_of(parent, x)) : &s->root, by);
    if (by) dfi_parent_write(by, parent);
}

/* x goes down to `side`; its child on the other side takes its place. */
static void dfi_sorted_rotate(struct dfi_sorted *s, struct dfi_cell *x, int side)
{
    struct dfi_cell *up = dfi_child(x, !side), *middle = dfi_child(up, side);
    dfi_sorted_replace(s, dfi_parent(x), x, up);
    dfi_link_write(dfi_child_link(x, !side), middle);
    if (middle) dfi_parent_write(middle, x);
    dfi_link_write(dfi_child_link(up, side), x);
    dfi_parent_write(x, up);
}

/* Adds a new element below the leaf, as its child `side`. */
static DFI_NOINLINE void dfi_sorted_link(struct dfi_sorted *s, struct dfi_cell *x, struct dfi_cell *leaf, int side)
{
    struct dfi_cell *parent, *grand, *uncle;
    ((struct dfi_node *)(void *)x)->red = 1;
    *dfi_child_link(x, 0) = *dfi_child_link(x, 1) = NULL;
    x->next = leaf;
    dfi_link_write(leaf ? dfi_child_link(leaf, side) : &s->root, x);
    while (dfi_is_red(parent = dfi_parent(x))) { /* both are red */
        grand = dfi_parent(parent);
        side = dfi_side_of(grand, parent);
        uncle = dfi_child(grand, !side);
        if (dfi_is_red(uncle)) {
            dfi_paint(parent, 0);
            dfi_paint(uncle, 0);
            dfi_paint(grand, 1);
            x = grand;
            continue;
        }
        if (dfi_side_of(parent, x) != side) {
            dfi_sorted_rotate(s, parent, side);
            parent = x;
        }
        dfi_paint(parent, 0);
        dfi_paint(grand, 1);
        dfi_sorted_rotate(s, grand, !side);
        return;
    }
    if (!parent) dfi_paint(x, 0);
}

/* Below parent, on this side, there is one black element too few. */
static void dfi_sorted_mend(struct dfi_sorted *s, struct dfi_cell *parent, int side)
{
    while (parent) {
        struct dfi_cell *sibling = dfi_child(parent, !side), *inner, *outer, *x = parent;
        if (dfi_is_red(sibling)) {
            dfi_paint(sibling, 0);
            dfi_paint(parent, 1);
            dfi_sorted_rotate(s, parent, side);
            sibling = dfi_child(parent, !side);
        }
        inner = dfi_child(sibling, side);
        outer = dfi_child(sibling, !side);
        if (!dfi_is_red(inner) && !dfi_is_red(outer)) {
            dfi_paint(sibling, 1);
            if (dfi_is_red(parent)) {
                dfi_paint(parent, 0);
                return;
            }
            parent = dfi_parent(x);
            side = parent && dfi_side_of(parent, x);
            continue;
        }
        if (!dfi_is_red(outer)) {
            dfi_paint(inner, 0);
            dfi_paint(sibling, 1);
            dfi_sorted_rotate(s, sibling, !side);
            outer = sibling;
            sibling = inner;
        }
        dfi_paint(sibling, dfi_is_red(parent));
        dfi_paint(parent, 0);
        dfi_paint(outer, 0);
        dfi_sorted_rotate(s, parent, side);
        return;
    }
}

/* Removes and frees x. If it has two children, the element behind it takes its place. */
static DFI_NOINLINE void dfi_sorted_unlink(struct dfi_sorted *s, struct dfi_cell *x)
{
    struct dfi_cell *left = dfi_child(x, 0), *right = dfi_child(x, 1);
    struct dfi_cell *by = left && right ? dfi_sorted_end_below(right, 0) : x; /* has one child at most */
    struct dfi_cell *child = by != x || !left ? dfi_child(by, 1) : left, *parent = dfi_parent(by), *below;
    const int red = dfi_is_red(by);
    int side = parent && dfi_side_of(parent, by), i;
    dfi_sorted_replace(s, parent, by, child);
    if (by != x) {
        if (parent == x) parent = by;
        dfi_sorted_replace(s, dfi_parent(x), x, by);
        dfi_paint(by, dfi_is_red(x));
        for (i = 0; i < 2; i++) {
            dfi_link_write(dfi_child_link(by, i), below = dfi_child(x, i));
            if (below) dfi_parent_write(below, by);
        }
    }
    if (child) dfi_paint(child, 0); /* it was red, as it was alone */
    else if (!red) dfi_sorted_mend(s, parent, side);
    df_tm_free(x);
}

static DFI_NOINLINE int dfi_sorted_get_in(const struct dfi_container *c, const struct dfi_sorted *s, const void *key,
                                          void *value)
{
    struct dfi_cell *x = dfi_sorted_find_equal(c, s, key).at;
    if (x && value) dfi_value_read(c, x, value);
    return x != NULL;
}

static DFI_NOINLINE int dfi_sorted_put_in(const struct dfi_container *c, struct dfi_sorted *s, const void *key,
                                          const void *value, int how)
{
    const struct dfi_sorted_found f = dfi_sorted_find_equal(c, s, key);
    struct dfi_cell *x;
    if (f.at) {
        if (how == DFI_MAP_REPLACE) dfi_value_write(c, f.at, value);
        return 0;
    }
    if (!(x = dfi_cell_new(c, key, value))) return DF_ERROR_MEMORY;
    dfi_sorted_link(s, x, f.leaf, f.side);
    return 1;
}

static DFI_NOINLINE df_result dfi_sorted_put_all_in(const struct dfi_container *c, struct dfi_sorted *s,
                                                    const void *keys, const void *values, size_t n)
{
    struct dfi_cell *all, *x;
    if (!dfi_cells_new(c, keys, values, n, &all)) return DF_ERROR_MEMORY;
    while ((x = all) != NULL) {
        const struct dfi_sorted_found f = dfi_sorted_find_equal(c, s, dfi_cell_key(c, x));
        all = x->next;
        if (!f.at) dfi_sorted_link(s, x, f.leaf, f.side);
        else dfi_cell_replace(c, f.at, x);
    }
    return DF_OK;
}

static DFI_NOINLINE int dfi_sorted_remove_in(const struct dfi_container *c, struct dfi_sorted *s, const void *key,
                                             void *old)
{
    struct dfi_cell *x = dfi_sorted_find_equal(c, s, key).at;
    if (!x) return 0;
    if (old) dfi_value_read(c, x, old);
    dfi_sorted_unlink(s, x);
    return 1;
}

static DFI_NOINLINE df_result dfi_heap_push_in(const struct dfi_container *c, struct dfi_sorted *s, const void *item)
{
    const struct dfi_sorted_found f = dfi_sorted_find(c, s, item, 1);
    struct dfi_cell *x = dfi_cell_new(c, item, NULL);
    if (!x) return DF_ERROR_MEMORY;
    dfi_sorted_link(s, x, f.leaf, f.side);
    return DF_OK;
}

static DFI_NOINLINE int dfi_heap_pop_in(const struct dfi_container *c, struct dfi_sorted *s, void *item, int waits)
{
    struct dfi_cell *x = dfi_sorted_end_below(dfi_link_read(&s->root), 0);
    if (!x && waits) dfi_tm_retry(c->site);
    if (!x) return 0;
    memcpy(item, dfi_cell_key(c, x), c->key_bytes);
    dfi_sorted_unlink(s, x);
    return 1;
}

/* --- order ----------------------------------------------------------------------------------------- */

static int dfi_sorted_copy(const struct dfi_container *c, struct dfi_cell *x, void *key, void *value)
{
    if (!x) return 0;
    if (key) memcpy(key, dfi_cell_key(c, x), c->key_bytes);
    if (value && c->value_bytes) dfi_value_read(c, x, value);
    return 1;
}

static DFI_NOINLINE int dfi_sorted_end_in(const struct dfi_container *c, const struct dfi_sorted *s, int last,
                                          void *key, void *value)
{
    return dfi_sorted_copy(c, dfi_sorted_end_below(dfi_link_read(&s->root), last), key, value);
}

static DFI_NOINLINE size_t dfi_sorted_number(const struct dfi_sorted *s, size_t most)
{
    struct dfi_cell *x = dfi_link_read(&s->root);
    size_t n = 0;
    if (x && most == 1) return 1;
    for (x = dfi_sorted_end_below(x, 0); x; x = dfi_sorted_behind(x)) n++;
    return n;
}

static DFI_NOINLINE struct dfi_cell *dfi_sorted_take_all(struct dfi_sorted *s)
{
    struct dfi_cell *all = dfi_link_read(&s->root);
    if (all) dfi_link_write(&s->root, NULL);
    return all;
}

/* Frees x and all below it, which no other thread can reach. In a block: at its end. */
static DFI_NOINLINE void dfi_sorted_free(struct dfi_cell *x)
{
    if (!x) return;
    dfi_sorted_free(dfi_child(x, 0));
    dfi_sorted_free(dfi_child(x, 1));
    df_tm_free(x);
}

/* --- functions of df_containers.h ---------------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API int dfi_sorted_get(const struct dfi_container *c, const struct dfi_sorted *s, const void *key, void *value)
{
    DFI_CONTAINER_RETURN(c, int, dfi_sorted_get_in(c, s, key, value));
}

DFI_API int dfi_sorted_put(const struct dfi_container *c, struct dfi_sorted *s, const void *key, const void *value,
                           int how)
{
    DFI_CONTAINER_RETURN(c, int, dfi_sorted_put_in(c, s, key, value, how));
}

DFI_API df_result dfi_sorted_put_all(const struct dfi_container *c, struct dfi_sorted *s, const void *keys,
                                     const void *values, size_t n)
{
    DFI_CONTAINER_RETURN(c, df_result, dfi_sorted_put_all_in(c, s, keys, values, n));
}

DFI_API int dfi_sorted_remove(const struct dfi_container *c, struct dfi_sorted *s, const void *key, void *old)
{
    DFI_CONTAINER_RETURN(c, int, dfi_sorted_remove_in(c, s, key, old));
}

DFI_API int dfi_sorted_end(const struct dfi_container *c, const struct dfi_sorted *s, int last, void *key, void *value)
{
    DFI_CONTAINER_RETURN(c, int, dfi_sorted_end_in(c, s, last, key, value));
}

DFI_API int dfi_sorted_next(const struct dfi_container *c, const struct dfi_sorted *s, struct dfi_cursor *cursor,
                            void *key, void *value)
{
    struct dfi_cell *x = cursor->chain ? cursor->next : dfi_sorted_end_below(dfi_link_read(&s->root), 0);
    cursor->next = x ? dfi_sorted_behind(x) : NULL;
    cursor->chain = 1;
    return dfi_sorted_copy(c, x, key, value);
}

DFI_API void dfi_sorted_seek(const struct dfi_container *c, const struct dfi_sorted *s, struct dfi_cursor *cursor,
                             const void *key)
{
    cursor->next = dfi_sorted_find(c, s, key, 0).at;
    cursor->chain = 1;
}

DFI_API size_t dfi_sorted_count(const struct dfi_container *c, const struct dfi_sorted *s, size_t most)
{
    DFI_CONTAINER_RETURN(c, size_t, dfi_sorted_number(s, most));
}

DFI_API void dfi_sorted_clear(const struct dfi_container *c, struct dfi_sorted *s)
{
    struct dfi_cell *volatile all = NULL;
    DFI_CONTAINER_BLOCK(c, c->kind & ~DFI_TM_UNWAITED, all = dfi_sorted_take_all(s));
    dfi_sorted_free(all); /* outside of all blocks nobody else can reach them */
}

DFI_API df_result dfi_heap_push(const struct dfi_container *c, struct dfi_sorted *s, const void *item)
{
    DFI_CONTAINER_RETURN(c, df_result, dfi_heap_push_in(c, s, item));
}

DFI_API int dfi_heap_pop(const struct dfi_container *c, struct dfi_sorted *s, void *item, int waits)
{
    DFI_CONTAINER_RETURN(c, int, dfi_heap_pop_in(c, s, item, waits));
}
DFI_EXTERN_C_END

#endif
