// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A Blow that the processes of a launcher share with the test.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_SHARED_BLOW_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_SHARED_BLOW_H

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "tests/device/liveness/kill.h"
#include "tests/support/hosts.h"

namespace avrankmap::test {

// A Blow in memory that any process can open by its path.
class SharedBlow {
public:
  explicit SharedBlow(std::uint32_t number) {
    EXPECT_EQ(ftruncate(file_.descriptor(), sizeof(Blow)), 0);
    void *const pages = mmap(nullptr, sizeof(Blow), PROT_READ | PROT_WRITE, MAP_SHARED, file_.descriptor(), 0);
    EXPECT_NE(pages, MAP_FAILED);
    blow_ = static_cast<Blow *>(pages);
    blow_->seed = number;
  }
  SharedBlow(const SharedBlow &) = delete;
  SharedBlow &operator=(const SharedBlow &) = delete;
  ~SharedBlow() { munmap(blow_, sizeof(Blow)); }
  [[nodiscard]] std::string path() const { return file_.path(); }
  Blow *operator->() const { return blow_; }
  Blow &operator*() const { return *blow_; }

private:
  SharedFile file_;
  Blow *blow_ = nullptr;
};

} // namespace avrankmap::test

#endif
