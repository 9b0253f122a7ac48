// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/mpi/resolve.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

namespace avrankmap::survey {
namespace {

struct Search {
  const char *name;
  void *found;
};

/// Searches a loaded object if its file is called libmpi*.
int look_into(dl_phdr_info *object, std::size_t, void *data) {
  const char *const slash = std::strrchr(object->dlpi_name, '/');
  const char *const file = slash != nullptr ? slash + 1 : object->dlpi_name;
  if (std::strncmp(file, "libmpi", std::strlen("libmpi")) != 0) {
    return 0;
  }
  void *const library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return 0;
  }
  auto *const search = static_cast<Search *>(data);
  search->found = dlsym(library, search->name);
  // The program keeps the library loaded.
  dlclose(library);
  return search->found != nullptr ? 1 : 0;
}

void *find(void *where, const char *name) {
  if (void *const seen = dlsym(where, name)) {
    return seen;
  }
  Search search{name, nullptr};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}

} // namespace

void *resolve(const char *name) noexcept {
  if (void *const found = find(RTLD_NEXT, name)) {
    return found;
  }
  if (std::strncmp(name, "MPI_", 4) != 0 || std::strlen(name) > 60) {
    return nullptr;
  }
  char profiled[64] = "P";
  return find(RTLD_NEXT, std::strcat(profiled, name));
}

void *resolve_object(const char *name) noexcept { return find(RTLD_DEFAULT, name); }

} // namespace avrankmap::survey
