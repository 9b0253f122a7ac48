// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <mpidimpl.h>

#include "endpoints.h"

#include <string.h>

struct record {
  struct record *next; // next record in the list of all records
  struct record *same; // next record in the same bucket
  uint64_t hash;
  uint64_t endpoint;
  int lpids; // number of lpids that refer to the record
  int upid_len;
  char upid[];
};

struct use {
  MPIR_Lpid lpid;
  struct record *record; // null: the entry is free
};

void (*MPIDIU_endpoint_close)(uint64_t endpoint);

static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;
static struct record *records;
static struct record **buckets; // indexed by low bits of the hash; at least as many as records
static size_t num_buckets;      // a power of two, or 0
static size_t num_records;
// A hash table with open addressing, at most half full.
static struct use *uses;
static size_t use_places; // a power of two, or 0
static size_t use_count;

// --- uses by lpid. All under the lock.

static struct use *find_use(struct use *table, size_t places, MPIR_Lpid lpid) {
  size_t place = (size_t)((uint64_t)lpid * 0x9e3779b97f4a7c15U >> 20) & (places - 1);
  while (table[place].record != NULL && table[place].lpid != lpid) {
    place = (place + 1) & (places - 1);
  }
  return &table[place];
}

// Moves uses to a table of another size.
static bool rebuild_uses(size_t places) {
  struct use *const table = MPL_calloc(places, sizeof *table, MPL_MEM_OTHER);
  if (table == NULL) {
    return false;
  }
  for (size_t i = 0; i < use_places; ++i) {
    if (uses[i].record != NULL) {
      *find_use(table, places, uses[i].lpid) = uses[i];
    }
  }
  MPL_free(uses);
  uses = table;
  use_places = places;
  return true;
}

static void remove_use(struct use *use) {
  --use->record->lpids;
  use->record = NULL;
  --use_count;
  // Closes the gap: moves following entries to where a search for them now ends.
  size_t place = (size_t)(use - uses);
  for (place = (place + 1) & (use_places - 1); uses[place].record != NULL; place = (place + 1) & (use_places - 1)) {
    const struct use moved = uses[place];
    uses[place].record = NULL;
    *find_use(uses, use_places, moved.lpid) = moved;
  }
}

// --- records by upid. All under the lock.

static uint64_t hash_of(const void *upid, int upid_len) {
  const unsigned char *const bytes = upid;
  uint64_t hash = 0xcbf29ce484222325U;
  for (int i = 0; i < upid_len; ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3U;
  }
  return hash ^ hash >> 32;
}

static struct record **bucket_of(uint64_t hash) { return &buckets[hash & (num_buckets - 1)]; }

static struct record *find_record(const void *upid, int upid_len, uint64_t hash) {
  struct record *record = num_buckets == 0 ? NULL : *bucket_of(hash);
  while (record != NULL &&
         (record->hash != hash || record->upid_len != upid_len || memcmp(record->upid, upid, (size_t)upid_len) != 0)) {
    record = record->same;
  }
  return record;
}

static void put_into_bucket(struct record *record) {
  struct record **const bucket = bucket_of(record->hash);
  record->same = *bucket;
  *bucket = record;
}

static bool make_buckets(void) {
  if (num_records < num_buckets) {
    return true;
  }
  const size_t more = num_buckets == 0 ? 64 : 2 * num_buckets;
  struct record **const table = MPL_calloc(more, sizeof *table, MPL_MEM_OTHER);
  if (table == NULL) {
    return false;
  }
  MPL_free(buckets);
  buckets = table;
  num_buckets = more;
  for (struct record *record = records; record != NULL; record = record->next) {
    put_into_bucket(record);
  }
  return true;
}

static struct record *add_record(const void *upid, int upid_len, uint64_t hash, uint64_t endpoint) {
  struct record *const record = make_buckets() ? MPL_malloc(sizeof *record + (size_t)upid_len, MPL_MEM_OTHER) : NULL;
  if (record != NULL) {
    record->hash = hash;
    record->endpoint = endpoint;
    record->lpids = 0;
    record->upid_len = upid_len;
    memcpy(record->upid, upid, (size_t)upid_len);
    record->next = records;
    records = record;
    put_into_bucket(record);
    ++num_records;
  }
  return record;
}

// Removes the records that no lpid refers to, or all records, and returns them as a list.
static struct record *take_records(bool all) {
  struct record *taken = NULL;
  struct record **at = &records;
  while (*at != NULL) {
    struct record *const record = *at;
    if (!all && record->lpids != 0) {
      at = &record->next;
      continue;
    }
    *at = record->next;
    struct record **same = bucket_of(record->hash);
    while (*same != record) {
      same = &(*same)->same;
    }
    *same = record->same;
    --num_records;
    record->next = taken;
    taken = record;
  }
  return taken;
}

static void close_records(struct record *taken) {
  while (taken != NULL) {
    struct record *const next = taken->next;
    MPIDIU_endpoint_close(taken->endpoint);
    MPL_free(taken);
    taken = next;
  }
}

// --- interface

bool MPIDIU_endpoint_find(const void *upid, int upid_len, uint64_t *endpoint) {
  MPL_initlock_lock(&lock);
  const struct record *const record = find_record(upid, upid_len, hash_of(upid, upid_len));
  if (record != NULL) {
    *endpoint = record->endpoint;
  }
  MPL_initlock_unlock(&lock);
  return record != NULL;
}

int MPIDIU_endpoint_keep(MPIR_Lpid lpid, const void *upid, int upid_len, uint64_t endpoint) {
  const uint64_t hash = hash_of(upid, upid_len);
  bool kept = false;
  MPL_initlock_lock(&lock);
  if (2 * use_count < use_places || rebuild_uses(use_places == 0 ? 64 : 2 * use_places)) {
    struct record *record = find_record(upid, upid_len, hash);
    if (record == NULL) {
      record = add_record(upid, upid_len, hash, endpoint);
    }
    if (record != NULL) {
      struct use *const use = find_use(uses, use_places, lpid);
      use->lpid = lpid;
      use->record = record;
      ++record->lpids;
      ++use_count;
      kept = true;
    }
  }
  MPL_initlock_unlock(&lock);
  return kept ? MPI_SUCCESS : MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY);
}

const void *MPIDIU_upid_get(MPIR_Lpid lpid, int *upid_len) {
  const void *upid = NULL;
  MPL_initlock_lock(&lock);
  const struct use *const use = use_places == 0 ? NULL : find_use(uses, use_places, lpid);
  if (use != NULL && use->record != NULL) {
    *upid_len = use->record->upid_len;
    upid = use->record->upid;
  }
  MPL_initlock_unlock(&lock);
  return upid;
}

void MPIDIU_endpoint_drop(MPIR_Lpid lpid) {
  MPL_initlock_lock(&lock);
  struct use *const use = use_places == 0 ? NULL : find_use(uses, use_places, lpid);
  if (use != NULL && use->record != NULL) {
    remove_use(use);
  }
  MPL_initlock_unlock(&lock);
}

void MPIDIU_endpoints_drop_world(int world_idx) {
  MPL_initlock_lock(&lock);
  for (size_t i = 0; i < use_places;) {
    if (uses[i].record != NULL && MPIR_LPID_WORLD_INDEX(uses[i].lpid) == world_idx) {
      remove_use(&uses[i]); // another entry may have moved here
    } else {
      ++i;
    }
  }
  MPL_initlock_unlock(&lock);
}

void MPIDIU_endpoints_trim(void) {
  MPL_initlock_lock(&lock);
  struct record *const taken = take_records(false);
  MPL_initlock_unlock(&lock);
  close_records(taken);
}

void MPIDIU_endpoints_close_all(void) {
  MPL_initlock_lock(&lock);
  struct record *const taken = take_records(true);
  MPL_free(buckets);
  buckets = NULL;
  num_buckets = 0;
  MPL_free(uses);
  uses = NULL;
  use_places = 0;
  use_count = 0;
  MPL_initlock_unlock(&lock);
  close_records(taken);
}
