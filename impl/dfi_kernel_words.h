/* dfi_kernel_words.h - the words of a kernel's body, when the host runs it
 *
 * Each reads dfi_w, the place of the work-item, a parameter of the body (dfi_kernel.h). For the devices the same words
 * are defined in the text they get (dfi_kernel_text.h). */
#ifndef DFI_KERNEL_WORDS_H
#define DFI_KERNEL_WORDS_H

#define df_global_id(d)   (dfi_w.group[d] * dfi_w.size[d] + dfi_w.id[d])
#define df_local_id(d)    (dfi_w.id[d])
#define df_group_id(d)    (dfi_w.group[d])
#define df_group_size(d)  (dfi_w.size[d])
#define df_groups(d)      (dfi_w.groups[d])
#define df_global_size(d) (dfi_w.groups[d] * dfi_w.size[d])
#define df_block(d)       (dfi_w.size[d])
#define df_barrier()      dfi_barrier(dfi_w.now)
#define df_shared(T, name, n) T *name = (T *)dfi_shared(dfi_w.now, dfi_w.shared++, (size_t)(n) * sizeof(T))
#define df_global
#define df_on_shared

#endif
