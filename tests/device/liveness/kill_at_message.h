// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kills the process before or after one of its messages, whatever they are for.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_KILL_AT_MESSAGE_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_KILL_AT_MESSAGE_H

#include <signal.h>
#include <unistd.h>

#include "avrankmap/device/netmod.h"
#include "avrankmap/device/shmmod.h"
#include "core/device.h"

namespace avrankmap::test {

class KillAtMessage {
public:
  // From now on the process dies at a message of the device: before its `point` / 2-th one, from 0
  // on, if the point is even, else after it. `last_act` is called before. One device per process.
  static void arm(avrm_device_t *device, int point, void (*last_act)(void *), void *user) {
    left_ = point;
    last_act_ = last_act;
    user_ = user;
    net_ = *device->net->ops;
    real_net_ = *device->net->ops;
    net_.tinject = [](avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle, uint64_t match) {
      return send([&] { return real_net_.tinject(netmod, buffer, bytes, handle, match); });
    };
    net_.tsend = [](avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces, size_t count,
                    avrm_request_t *request) {
      return send([&] { return real_net_.tsend(netmod, handle, match, pieces, count, request); });
    };
    net_.am_send = [](avrm_netmod_t *netmod, uint64_t handle, const void *header, size_t header_bytes,
                      const void *payload, size_t payload_bytes) {
      return send([&] { return real_net_.am_send(netmod, handle, header, header_bytes, payload, payload_bytes); });
    };
    device->net->ops = &net_;
    if (device->shm == nullptr) {
      return;
    }
    shm_ = *device->shm->ops;
    real_shm_ = *device->shm->ops;
    shm_.send = [](avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t match, const void *buffer, size_t bytes,
                   avrm_request_t *request) {
      return send([&] { return real_shm_.send(shmmod, local_rank, match, buffer, bytes, request); });
    };
    shm_.am_send = [](avrm_shmmod_t *shmmod, int32_t local_rank, const void *header, size_t header_bytes,
                      const void *payload, size_t payload_bytes) {
      return send([&] { return real_shm_.am_send(shmmod, local_rank, header, header_bytes, payload, payload_bytes); });
    };
    device->shm->ops = &shm_;
  }
  [[noreturn]] static void die() {
    last_act_(user_);
    kill(getpid(), SIGKILL);
    for (;;) {
      pause();
    }
  }

private:
  template <typename Send> static avrm_status_t send(Send real) {
    if (left_ == 0) {
      die();
    }
    const avrm_status_t status = real();
    if (status == AVRM_OK) {
      if (left_ == 1) {
        die();
      }
      left_ -= 2;
    }
    return status;
  }

  static inline int left_ = 0;
  static inline void (*last_act_)(void *) = nullptr;
  static inline void *user_ = nullptr;
  static inline avrm_netmod_ops_t net_{};
  static inline avrm_netmod_ops_t real_net_{};
  static inline avrm_shmmod_ops_t shm_{};
  static inline avrm_shmmod_ops_t real_shm_{};
};

} // namespace avrankmap::test

#endif
