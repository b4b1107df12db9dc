/* gpu.h - the implementation of df_gpu.h: each file includes those that it uses */
#ifndef DFI_GPU_GPU_H
#define DFI_GPU_GPU_H

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
