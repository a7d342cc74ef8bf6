// The rows of the tables in model.h.

#ifndef FMU_TYPES_H
#define FMU_TYPES_H

typedef enum {
  kIndependent,
  kState,
  kRate,
  kInput,
  kParameter,
  kOutput,
  kCalculatedParameter,
  kIndicator
} FmuKind;

// By value reference.
typedef struct {
  FmuKind kind;
  int index;  // among those of its kind
  const char *name;
} FmuVariable;

// The event of a guard that crosses zero; direction: 1 rising, -1 falling, 0 both.
typedef struct {
  const char *name;
  int direction;
  int first_reset, last_reset;  // the last is excluded
  int stop;
} FmuEvent;

#endif
