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
  int first_imposed, last_imposed, first_released, last_released;  // rows, the last excluded
  int from, to;                                                   // modes; -1: any, and none
} FmuEvent;

// The gap is phi of the row; a compliant contact has a force of its own.
typedef struct {
  int row, compliant;
  const char *name;
} FmuContact;

// Along one row, or two (the second is -1 for none); pressed by a contact, or with a force of its own (-1).
typedef struct {
  int rows[2], contact;
  const char *name;
} FmuFriction;

#endif
