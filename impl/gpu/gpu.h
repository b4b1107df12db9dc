/* gpu.h - the implementation of df_gpu.h: each file includes those that it uses */
#ifndef DFI_GPU_GPU_H
#define DFI_GPU_GPU_H

#include "../base/parts.h"

#if !DFI_WITH_MORE
#error "df_gpu.h needs parts of df.h that DF_MINIMAL lacks: define DF_SMALL in place of it"
#endif
#if DFI_WITH_DATAFLOW
#if DFI_WITH_MORE
#include "host/host.h"
#include "store.h"
#include "graph.h"
#if defined(DF_SERIAL)
#include "serial.h"
#else
#include "devices.h"
#include "launch/launch.h"
#include "data.h"
#endif
#include "pick/tune.h"
#include "dist/new.h"
#endif
#endif

#endif
