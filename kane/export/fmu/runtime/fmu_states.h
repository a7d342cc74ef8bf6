// Copies of a state, and the same as bytes.

#ifndef FMU_STATES_H
#define FMU_STATES_H

#include "fmu_core.h"

static FmuStatus fmu_save(Fmu *f, void **state) {
  if (!state) return fmu_say(f, kError, kLogError, "there is no place for the state");
  if (!*state) *state = malloc(sizeof(FmuData));
  if (!*state) return fmu_say(f, kError, kLogError, "there is no memory for the state");
  memcpy(*state, &f->d, sizeof f->d);
  return kOk;
}

static FmuStatus fmu_restore(Fmu *f, const void *state) {
  if (!state) return fmu_say(f, kError, kLogError, "there is no state");
  memcpy(&f->d, state, sizeof f->d);
  fmu_list_rows(f);
  fmu_touch(f);
  return kOk;
}

// A mark of the model, a hash of the data, then the data. Bytes that were damaged on their way would put places of tables out of
// range, so they are refused.
enum { kMarkLength = 40, kDataPlace = kMarkLength + sizeof(uint64_t), kStateBytes = kDataPlace + sizeof(FmuData) };

// FNV-1a.
static uint64_t hash_bytes(const void *bytes, size_t n) {
  uint64_t hash = 14695981039346656037u;
  size_t i;
  for (i = 0; i < n; ++i) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return hash;
}

static FmuStatus fmu_write_state(Fmu *f, const void *state, void *bytes, size_t size) {
  const uint64_t hash = state ? hash_bytes(state, sizeof(FmuData)) : 0;
  if (!state || !bytes || size < kStateBytes) return fmu_say(f, kError, kLogError, "the place for a state is too small");
  memset(bytes, 0, kMarkLength);
  strncpy((char *)bytes, MODEL_TOKEN, kMarkLength - 1);
  memcpy((char *)bytes + kMarkLength, &hash, sizeof hash);
  memcpy((char *)bytes + kDataPlace, state, sizeof(FmuData));
  return kOk;
}

static FmuStatus fmu_read_state(Fmu *f, const void *bytes, size_t size, void **state) {
  char mark[kMarkLength] = {0};
  uint64_t hash = 0;
  strncpy(mark, MODEL_TOKEN, kMarkLength - 1);
  if (!bytes || !state || size != kStateBytes || memcmp(mark, bytes, kMarkLength) != 0)
    return fmu_say(f, kError, kLogError, "these bytes are not a state of this model");
  memcpy(&hash, (const char *)bytes + kMarkLength, sizeof hash);
  if (hash != hash_bytes((const char *)bytes + kDataPlace, sizeof(FmuData)))
    return fmu_say(f, kError, kLogError, "the bytes of this state are damaged");
  if (!*state) *state = malloc(sizeof(FmuData));
  if (!*state) return fmu_say(f, kError, kLogError, "there is no memory for the state");
  memcpy(*state, (const char *)bytes + kDataPlace, sizeof(FmuData));
  return kOk;
}

static FmuStatus fmu_forget(void **state) {
  if (state) free(*state), *state = NULL;
  return kOk;
}

#endif
