// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A KillRecord that the processes of a launcher share with the test.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_SHARED_KILL_RECORD_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_SHARED_KILL_RECORD_H

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "tests/device/liveness/kill.h"
#include "tests/support/hosts.h"

namespace avrankmap::test {

// A KillRecord in memory that any process can open by its path.
class SharedKillRecord {
public:
  explicit SharedKillRecord(std::uint32_t number) {
    EXPECT_EQ(ftruncate(file_.descriptor(), sizeof(KillRecord)), 0);
    void *const pages = mmap(nullptr, sizeof(KillRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file_.descriptor(), 0);
    EXPECT_NE(pages, MAP_FAILED);
    kill_record_ = static_cast<KillRecord *>(pages);
    kill_record_->seed = number;
  }
  SharedKillRecord(const SharedKillRecord &) = delete;
  SharedKillRecord &operator=(const SharedKillRecord &) = delete;
  ~SharedKillRecord() { munmap(kill_record_, sizeof(KillRecord)); }
  [[nodiscard]] std::string path() const { return file_.path(); }
  KillRecord *operator->() const { return kill_record_; }
  KillRecord &operator*() const { return *kill_record_; }

private:
  SharedFile file_;
  KillRecord *kill_record_ = nullptr;
};

} // namespace avrankmap::test

#endif
