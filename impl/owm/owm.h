/* owm.h - the implementation of df_owm.h */
#ifndef DFI_OWM_OWM_H
#define DFI_OWM_OWM_H

#include "state.h"
#include "tree.h"
#include "tell.h"
#include "guard.h"
#include "copies.h"
#include "own.h"
#include "heap.h"
#include "plain.h"
#include "events.h"

#endif
