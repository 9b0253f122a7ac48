// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI-shaped interface in one process of a job: every build of the fast path, and a
// communicator whose ranks differ from lpids.
#ifndef AVRANKMAP_TESTS_DEVICE_FASTPATH_FASTPATH_PROCESS_H
#define AVRANKMAP_TESTS_DEVICE_FASTPATH_FASTPATH_PROCESS_H

#include "tests/device/core/fastpath/fastpath_binding.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {

using IsendFn = avrm_status_t (*)(const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t dest,
                                  std::int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p);
using PutFn = avrm_status_t (*)(const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t target,
                                std::int64_t displacement, avrm_fp_window_t *window);

// One build of the fast path. The last one is what AVRM_FASTPATH selects for the plain names.
struct FastpathBuild {
  IsendFn isend;
  PutFn put;
};
inline constexpr FastpathBuild kFastpathBuilds[] = {
    {avrm_fp_isend_default, avrm_fp_put_default},
    {avrm_fp_isend_no_err, avrm_fp_put_no_err},
    {avrm_fp_isend_no_err_single, avrm_fp_put_no_err_single},
    {[](const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t dest, std::int32_t tag,
        avrm_fp_comm_t *comm,
        avrm_request_t **request_p) { return avrm_fp_isend_inline(buffer, count, type, dest, tag, comm, request_p); },
     [](const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t target, std::int64_t displacement,
        avrm_fp_window_t *window) { return avrm_fp_put_inline(buffer, count, type, target, displacement, window); }},
    {[](const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t dest, std::int32_t tag,
        avrm_fp_comm_t *comm,
        avrm_request_t **request_p) { return avrm_fp_isend(buffer, count, type, dest, tag, comm, request_p); },
     [](const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t target, std::int64_t displacement,
        avrm_fp_window_t *window) { return avrm_fp_put(buffer, count, type, target, displacement, window); }},
};

// Opens the interface, and closes it when all processes are done with it.
class Fastpath {
public:
  explicit Fastpath(Process &its_process) : process(its_process), size(its_process.size) {
    AVRM_MUST(avrm_fp_open(process.device, 1, &fp) == AVRM_OK);
    // Never used twice: a peer may still have the previous body's communicator.
    static std::uint32_t next_context = 900;
    plain_ = make_comm(next_context++, size - 1, -1, rank_of(process.rank));
    straight_ = make_comm(next_context++, 0, 1, process.rank);
    AVRM_MUST(avrm_fp_comm_create(fp, plain_, &comm) == AVRM_OK);
    AVRM_MUST(avrm_fp_comm_create_predefined(fp, straight_, AVRM_COMM_1) == AVRM_OK);
  }
  Fastpath(const Fastpath &) = delete;
  Fastpath &operator=(const Fastpath &) = delete;
  ~Fastpath() {
    barrier(process);
    AVRM_MUST(avrm_fp_comm_free(AVRM_COMM_1) == AVRM_OK);
    AVRM_MUST(avrm_fp_comm_free(comm) == AVRM_OK);
    AVRM_MUST(avrm_comm_free(plain_) == AVRM_OK);
    AVRM_MUST(avrm_comm_free(straight_) == AVRM_OK);
    AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
  }

  // The rank in `comm` of a process, by its rank in the world, and vice versa.
  [[nodiscard]] int rank_of(int world_rank) const { return size - 1 - world_rank; }

  Process &process;
  int size;
  avrm_fp_t *fp = nullptr;
  // The world in reverse; AVRM_COMM_1 has the world's order, and a context of its own.
  avrm_fp_comm_t *comm = nullptr;

private:
  [[nodiscard]] avrm_comm_t *make_comm(std::uint32_t context, int offset, int stride, int rank) const {
    avrm_rankmap_t map{};
    avrm_comm_t *made = nullptr;
    AVRM_MUST(avrm_rankmap_create_stride(avrm_device_instance(process.device), 0, size, offset, stride, &map) ==
              AVRM_OK);
    AVRM_MUST(avrm_comm_create_local(process.device, &map, rank, context, &made) == AVRM_OK);
    return made;
  }

  avrm_comm_t *plain_ = nullptr;
  avrm_comm_t *straight_ = nullptr;
};

} // namespace avrankmap::test

#endif
