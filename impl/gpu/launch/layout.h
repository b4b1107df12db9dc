/* layout.h - the layout of a region on a device: the distance between the rows of a block
 *
 * Everything here is under the lock of the engine. */
#ifndef DFI_GPU_LAUNCH_LAYOUT_H
#define DFI_GPU_LAUNCH_LAYOUT_H

#include "../../api/kernel.h"
#include "../../flow/region.h"
#include "../driver.h"
#include "../host/group.h"
#include "state.h"

/* The by-value parameter that is the distance between the rows of a block, and nothing else in the declaration.
 * NULL: it is another expression, and stays what it is. */
static const struct dfi_param *dfi_param_of_ld(const struct dfi_kernel *k, const struct dfi_param *block)
{
    const struct dfi_param *v = NULL, *p;
    int i;
    for (i = 0; i < k->n_params; i++)
        if (k->param[i].kind == DFI_P_VALUE && !strcmp(k->param[i].name, block->ld)) v = &k->param[i];
    if (!v || (v->bytes != 4 && v->bytes != 8)) return NULL;
    for (p = k->param; p < k->param + k->n_params; p++)
        if (p->kind != DFI_P_VALUE && (dfi_text_has(p->rows, v->name) || dfi_text_has(p->cols, v->name) ||
                                       (p->ld && strcmp(p->ld, v->name) && dfi_text_has(p->ld, v->name))))
            return NULL;
    return v;
}

/* Rows without gaps have no shape: they fit wherever as many bytes without gaps are wanted. */
static int dfi_is_flat(const struct dfi_box *b) { return b->rows <= 1 || b->pitch == b->row; }

static int dfi_same_layout(const struct dfi_box *a, const struct dfi_box *b)
{
    if (dfi_is_flat(a) || dfi_is_flat(b)) return dfi_is_flat(a) && dfi_is_flat(b);
    return a->row == b->row && a->rows == b->rows && a->pitch == b->pitch;
}

static int dfi_is_block(const struct dfi_operand *u)
{
    return u->param->kind == DFI_P_BLOCK && u->x.rows > 1 && u->x.ld >= u->x.row;
}

/* Blocks lie with their rows close together, all that share a parameter for the distance with the same number of
 * elements, which the kernel finds in that parameter. A copy that is there already decides, if it can. */
static void dfi_flight_layout(struct dfi_flight *g)
{
    int i, j, d = g->device->gpu.index;
    for (i = 0; i < g->n; i++) {
        struct dfi_operand *u = &g->use[i];
        u->box.row = dfi_region_bytes(&u->region), u->box.rows = 1, u->box.ld = u->box.pitch = 0;
    }
    for (i = 0; i < g->n; i++) {
        struct dfi_operand *u = &g->use[i];
        const struct dfi_param *v;
        size_t elements = 0;
        if (!dfi_is_block(u) || u->box.pitch) continue;
        v = dfi_param_of_ld(g->kernel, u->param);
        for (j = i; j < g->n; j++) {
            struct dfi_operand *w = &g->use[j];
            size_t row = w->x.row / w->param->bytes, there;
            if (!dfi_is_block(w) || (v ? dfi_param_of_ld(g->kernel, w->param) != v : w != u)) continue;
            if (row > elements) elements = row;
            if (!v) elements = w->x.ld / w->param->bytes;
            else if (dfi_copy_is_valid(w->record, d)) {
                const struct dfi_box *b = &w->record->copy[d]->box;
                there = !dfi_is_flat(b) && b->row == w->x.row &&
                    b->pitch % w->param->bytes == 0 ? b->pitch / w->param->bytes : 0;
                if (there > elements) elements = there;
            }
        }
        for (j = i; j < g->n; j++) {
            struct dfi_operand *w = &g->use[j];
            if (!dfi_is_block(w) || (v ? dfi_param_of_ld(g->kernel, w->param) != v : w != u)) continue;
            w->box.row = w->x.row, w->box.rows = w->x.rows, w->box.ld = w->x.ld,
                w->box.pitch = elements * w->param->bytes;
        }
        if (v) {
            uint64_t all = elements;
            uint32_t half = (uint32_t)elements;
            memcpy((char *)g->args + v->at, v->bytes == sizeof all ? (void *)&all : (void *)&half, v->bytes);
        }
    }
}

static size_t dfi_box_bytes(const struct dfi_box *b) { return (b->rows - 1) * b->pitch + b->row; }

/* Does a launch write what another parameter of it accesses as another region, or access one in two layouts? No device
 * can do that. */
static int dfi_flight_aliased(const struct dfi_flight *g)
{
    int i, j;
    for (i = 0; i < g->n; i++)
        for (j = 0; j < g->n; j++) {
            const struct dfi_operand *a = &g->use[i], *b = &g->use[j];
            int block = dfi_is_block(a);
            if (i == j || !dfi_region_overlap(&a->region, &b->region)) continue;
            if (!dfi_region_same(&a->region, &b->region) ? a->writes
                : block != dfi_is_block(b) ||
                    (block && dfi_param_of_ld(g->kernel, a->param) != dfi_param_of_ld(g->kernel, b->param)))
                return 1;
        }
    return 0;
}

#endif
