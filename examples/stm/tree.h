/* A set of numbers as a red-black tree: many reads and few writes on the way to any element.
 *
 * A node is red or black; the root is black, a red node has no red child, and on all ways down there are
 * equally many black nodes. Each function may be called in a block, or while there is one thread; see list.h.
 * Source: Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", chapter 13; without the sentinel,
 * which every removal would write. Left and right are child[0] and child[1], so that the mirrored case is the
 * same code. */
#ifndef STM_TREE_H
#define STM_TREE_H

#include <limits.h>
#include <stddef.h>

typedef struct tree_node {
    long key, red;
    struct tree_node *parent, *child[2];
} tree_node;
typedef struct { tree_node *root; } tree;         /* all zero: empty */

static inline tree_node *tree_child(tree_node *n, int side) { return df_tm_read(&n->child[side]); }
static inline int tree_is_red(tree_node *n) { return n && df_tm_read(&n->red); }
static inline int tree_side(tree_node *parent, tree_node *n) { return tree_child(parent, 1) == n; }

static inline void tree_paint(tree_node *n, int red)
{
    if (df_tm_read(&n->red) != red)               /* memory that is not written does not disturb its readers */
        df_tm_write(&n->red, red);
}

/* `by`, or nothing, takes the place of n below parent, or as the root. */
static inline void tree_replace(tree *t, tree_node *parent, tree_node *n, tree_node *by)
{
    if (!parent)
        df_tm_write(&t->root, by);
    else
        df_tm_write(&parent->child[tree_side(parent, n)], by);
    if (by)
        df_tm_write(&by->parent, parent);
}

/* n goes down to `side`; its child on the other side takes its place. */
static inline void tree_rotate(tree *t, tree_node *n, int side)
{
    tree_node *up = tree_child(n, !side), *middle = tree_child(up, side);
    tree_replace(t, df_tm_read(&n->parent), n, up);
    df_tm_write(&n->child[!side], middle);
    if (middle)
        df_tm_write(&middle->parent, n);
    df_tm_write(&up->child[side], n);
    df_tm_write(&n->parent, up);
}

static inline int tree_contains(tree *t, long key)
{
    tree_node *n = df_tm_read(&t->root);
    while (n) {
        long k = df_tm_read(&n->key);
        if (k == key)
            return 1;
        n = tree_child(n, k < key);
    }
    return 0;
}

/* n is red and new; its parent may be red too. */
static inline void tree_mend_insert(tree *t, tree_node *n)
{
    tree_node *parent;
    while (tree_is_red(parent = df_tm_read(&n->parent))) {
        tree_node *grand = df_tm_read(&parent->parent);
        int side = tree_side(grand, parent);
        tree_node *uncle = tree_child(grand, !side);
        if (tree_is_red(uncle)) {
            tree_paint(parent, 0);
            tree_paint(uncle, 0);
            tree_paint(grand, 1);
            n = grand;
            continue;
        }
        if (tree_side(parent, n) != side) {
            tree_rotate(t, parent, side);
            parent = n;
        }
        tree_paint(parent, 0);
        tree_paint(grand, 1);
        tree_rotate(t, grand, !side);
        return;
    }
    if (!parent)
        tree_paint(n, 0);
}

/* 0: it was there already, or there is no memory. */
static inline int tree_insert(tree *t, long key)
{
    tree_node *parent = NULL, *n = df_tm_read(&t->root);
    int side = 0;
    while (n) {
        long k = df_tm_read(&n->key);
        if (k == key)
            return 0;
        parent = n;
        side = k < key;
        n = tree_child(n, side);
    }
    n = (tree_node *)df_tm_malloc(sizeof *n);
    if (!n)
        return 0;
    n->key = key;
    n->red = 1;
    n->parent = parent;
    n->child[0] = n->child[1] = NULL;
    if (parent)
        df_tm_write(&parent->child[side], n);
    else
        df_tm_write(&t->root, n);
    tree_mend_insert(t, n);
    return 1;
}

/* Below parent, on this side, there is one black node too few. */
static inline void tree_mend_remove(tree *t, tree_node *parent, int side)
{
    while (parent) {
        tree_node *sibling = tree_child(parent, !side), *near, *far, *above;
        if (tree_is_red(sibling)) {
            tree_paint(sibling, 0);
            tree_paint(parent, 1);
            tree_rotate(t, parent, side);
            sibling = tree_child(parent, !side);
        }
        near = tree_child(sibling, side);
        far = tree_child(sibling, !side);
        if (!tree_is_red(near) && !tree_is_red(far)) {
            tree_paint(sibling, 1);
            if (tree_is_red(parent)) {
                tree_paint(parent, 0);
                return;
            }
            above = df_tm_read(&parent->parent);
            side = above && tree_side(above, parent);
            parent = above;
            continue;
        }
        if (!tree_is_red(far)) {
            tree_paint(near, 0);
            tree_paint(sibling, 1);
            tree_rotate(t, sibling, !side);
            far = sibling;
            sibling = near;
        }
        tree_paint(sibling, tree_is_red(parent));
        tree_paint(parent, 0);
        tree_paint(far, 0);
        tree_rotate(t, parent, side);
        return;
    }
}

/* 0: it was not there. */
static inline int tree_remove(tree *t, long key)
{
    tree_node *n = df_tm_read(&t->root), *parent, *child;
    long k;
    int side;
    while (n && (k = df_tm_read(&n->key)) != key)
        n = tree_child(n, k < key);
    if (!n)
        return 0;
    if (tree_child(n, 0) && tree_child(n, 1)) {   /* the next larger one goes, and its key stays */
        tree_node *next = tree_child(n, 1), *left;
        while ((left = tree_child(next, 0)) != NULL)
            next = left;
        df_tm_write(&n->key, df_tm_read(&next->key));
        n = next;
    }
    parent = df_tm_read(&n->parent);
    child = tree_child(n, 0);
    if (!child)
        child = tree_child(n, 1);
    side = parent && tree_side(parent, n);
    tree_replace(t, parent, n, child);
    if (child)                                    /* red, as it is alone */
        tree_paint(child, 0);
    else if (!tree_is_red(n))
        tree_mend_remove(t, parent, side);
    df_tm_free(n);
    return 1;
}

/* Adds the elements below n, all between low and high, to *elements. Returns the number of black nodes on the
 * way down; -1: something is wrong. */
static inline int tree_check_part(tree_node *n, tree_node *parent, long low, long high, long *elements)
{
    int left, right, red;
    long key;
    if (!n)
        return 0;
    key = df_tm_read(&n->key);
    red = tree_is_red(n);
    if (key < low || key > high || df_tm_read(&n->parent) != parent)
        return -1;
    if (red && (!parent || tree_is_red(parent)))
        return -1;
    ++*elements;
    left = tree_check_part(tree_child(n, 0), n, low, key - 1, elements);
    right = tree_check_part(tree_child(n, 1), n, key + 1, high, elements);
    return left < 0 || left != right ? -1 : left + !red;
}

/* The number of elements; -1: order, colours or parents are wrong. */
static inline long tree_check(tree *t)
{
    long elements = 0;
    int blacks = tree_check_part(df_tm_read(&t->root), NULL, LONG_MIN + 1, LONG_MAX - 1, &elements);
    return blacks < 0 ? -1 : elements;
}

static inline void tree_clear_part(tree_node *n)
{
    if (!n)
        return;
    tree_clear_part(tree_child(n, 0));
    tree_clear_part(tree_child(n, 1));
    df_tm_free(n);
}

/* Removes all elements. */
static inline void tree_clear(tree *t)
{
    tree_node *root = df_tm_read(&t->root);
    df_tm_write(&t->root, NULL);
    tree_clear_part(root);
}
#endif
