// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that survives the deaths of its processes, to copy from: heat in a rod. Each process
// computes parts of the rod, one at first, exchanges their ends with those of the neighbours in
// each step, and every kInterval steps gives the next process copies of its parts. When a process
// dies,
//
//   1. whoever gets an error revokes the communicator, so that everyone gets one;
//   2. all agree on whether anyone did, and if so, let a spare take the place of the dead one, or
//      shrink the communicator when there are no spares left;
//   3. they agree on the newest copies that all of them have, and go back to that step; the process
//      with the copies of a dead one sends them to the spare, or takes over its parts;
//   4. they go on.
//
// The result is that of an undisturbed run, to the bit, unless a process and the next one both die
// before new copies are made.
#ifndef AVRANKMAP_TESTS_DEVICE_COMM_FT_STENCIL_H
#define AVRANKMAP_TESTS_DEVICE_COMM_FT_STENCIL_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "avrankmap/device/ft.h"

namespace avrankmap::test {

using Cells = std::vector<double>;

class Rod {
public:
  static constexpr int kInterval = 5;

  // A rod of `cells` on the processes of `world`, which goes on to exist; the last `spares` have no
  // part at first. The same in all of them.
  Rod(avrm_comm_t *world, const Cells &cells, int spares = 0)
      : world_(world), comm_(world), active_(avrm_comm_size(world) - spares) {
    Copies first;
    for (int process = 0; process < avrm_comm_size(world); ++process) {
      first.members.push_back(process);
    }
    for (int part = 0; part < active_; ++part) {
      first.owners.push_back(part);
      const auto at = [&](int p) { return cells.begin() + static_cast<std::ptrdiff_t>(cells.size()) * p / active_; };
      first.cells.emplace(part, Cells(at(part), at(part + 1)));
    }
    go_back_to(first, first.members);
    copies_.push_back(std::move(first));
  }
  ~Rod() { leave(world_); }
  Rod(const Rod &) = delete;
  Rod &operator=(const Rod &) = delete;

  // Computes until `steps` steps are done, and all survivors have heard of it. before(step) is
  // called before each step. False if copies of a part are lost, or an error is of no death's
  // making.
  template <typename Before> bool run(int steps, Before before) {
    for (;;) {
      avrm_status_t status = std::exchange(restored_, AVRM_OK);
      while (status == AVRM_OK && step_ < steps) {
        before(step_);
        status = step_ % kInterval == 0 ? save() : AVRM_OK;
        status = status == AVRM_OK ? advance() : status;
      }
      if (status != AVRM_OK && avrm_comm_revoke(comm_) != AVRM_OK) {
        return false;
      }
      // Not before all have agreed is anybody done: the others may need his copies.
      std::uint64_t is_done = status == AVRM_OK ? 1 : 0;
      status = avrm_comm_agree(comm_, &is_done);
      if (status == AVRM_OK && is_done != 0) {
        return true;
      }
      if ((status != AVRM_OK && status != AVRM_ERR_PEER) || !recover()) {
        return false;
      }
    }
  }

  // This process's parts, by number.
  [[nodiscard]] const std::map<int, Cells> &parts() const { return parts_; }
  // Of the processes that are left.
  [[nodiscard]] avrm_comm_t *comm() const { return comm_; }

private:
  // Processes are named by their ranks in the world.
  struct Copies {
    std::uint32_t number = 0;
    int step = 0;
    std::vector<int> members; // then
    std::vector<int> owners;  // of each part
    std::map<int, Cells> cells;
  };

  static int rank_of(const std::vector<int> &members, int process) {
    const auto found = std::find(members.begin(), members.end(), process);
    return found == members.end() ? -1 : static_cast<int>(found - members.begin());
  }
  static int next_of(const std::vector<int> &members, int process, int distance) {
    const int size = static_cast<int>(members.size());
    return members[static_cast<std::size_t>((rank_of(members, process) + distance + size) % size)];
  }
  [[nodiscard]] int self() const { return avrm_comm_rank(world_); }
  [[nodiscard]] int owner_of(int part) const { return owners_[static_cast<std::size_t>(part)]; }
  [[nodiscard]] int part_count() const { return static_cast<int>(owners_.size()); }

  // Messages under way; the first error is kept.
  class Exchange {
  public:
    explicit Exchange(Rod &rod) : rod_(rod) {}
    void send(int process, int tag, const double *cells, std::size_t count) {
      avrm_request_t *request = nullptr;
      const int rank = rank_of(rod_.members_, process);
      const avrm_status_t status = avrm_isend(rod_.comm_, cells, count * sizeof *cells, rank, tag, &request);
      add(status, request);
    }
    void receive(int process, int tag, double *cells, std::size_t count) {
      avrm_request_t *request = nullptr;
      const int rank = rank_of(rod_.members_, process);
      const avrm_status_t status = avrm_irecv(rod_.comm_, cells, count * sizeof *cells, rank, tag, &request);
      add(status, request);
    }
    // Waits for all of them. Whoever has an error revokes the communicator at once: the others may
    // wait for messages that will never be sent.
    avrm_status_t wait() {
      for (avrm_request_t *&request : requests_) {
        if (status_ != AVRM_OK) {
          (void)avrm_comm_revoke(rod_.comm_);
        }
        const avrm_status_t ended = avrm_wait(&request, nullptr);
        status_ = status_ != AVRM_OK ? status_ : ended;
      }
      return status_;
    }

  private:
    void add(avrm_status_t status, avrm_request_t *request) {
      if (status == AVRM_OK) {
        requests_.push_back(request);
      }
      status_ = status_ != AVRM_OK ? status_ : status;
    }
    Rod &rod_;
    std::vector<avrm_request_t *> requests_;
    avrm_status_t status_ = AVRM_OK;
  };

  // One step. Cells beyond the ends of the rod are 0.
  avrm_status_t advance() {
    struct Ends {
      double left = 0;
      double right = 0;
    };
    std::map<int, Ends> beyond;
    Exchange exchange(*this);
    for (const auto &[part, cells] : parts_) {
      Ends &ends = beyond[part];
      if (part > 0) {
        exchange.receive(owner_of(part - 1), 2 * part, &ends.left, 1);
        exchange.send(owner_of(part - 1), 2 * (part - 1) + 1, &cells.front(), 1);
      }
      if (part + 1 < part_count()) {
        exchange.receive(owner_of(part + 1), 2 * part + 1, &ends.right, 1);
        exchange.send(owner_of(part + 1), 2 * (part + 1), &cells.back(), 1);
      }
    }
    if (const avrm_status_t status = exchange.wait(); status != AVRM_OK) {
      return status;
    }
    for (auto &[part, cells] : parts_) {
      double left = beyond[part].left;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const double right = i + 1 < cells.size() ? cells[i + 1] : beyond[part].right;
        left = std::exchange(cells[i], cells[i] + 0.25 * (left - 2 * cells[i] + right));
      }
    }
    ++step_;
    return AVRM_OK;
  }

  // Copies of the own parts, and of those of the process before, are kept here.
  avrm_status_t save() {
    Copies made{next_number_, step_, members_, owners_, parts_};
    const int next = next_of(members_, self(), 1);
    const int previous = next_of(members_, self(), -1);
    Exchange exchange(*this);
    for (int part = 0; part < part_count() && next != self(); ++part) {
      const int tag = 2 * part_count() + part;
      if (owner_of(part) == self()) {
        exchange.send(next, tag, parts_[part].data(), parts_[part].size());
      } else if (owner_of(part) == previous) {
        Cells &room = made.cells.emplace(part, Cells(lengths_[static_cast<std::size_t>(part)])).first->second;
        exchange.receive(previous, tag, room.data(), room.size());
      }
    }
    if (const avrm_status_t status = exchange.wait(); status != AVRM_OK) {
      return status;
    }
    ++next_number_;
    copies_.push_back(std::move(made));
    // Behind it all have the new copies, so that those before the last ones are not needed.
    const avrm_status_t status = avrm_barrier(comm_);
    if (status == AVRM_OK) {
      copies_.erase(copies_.begin(), copies_.end() - 1);
    }
    return status;
  }

  // Takes a communicator of the survivors, and goes back to the newest copies that all have.
  bool recover() {
    avrm_comm_t *rest = nullptr;
    avrm_status_t status = active_ != 0 ? avrm_comm_replace(comm_, active_, &rest) : AVRM_ERR_SIZE;
    if (status == AVRM_ERR_SIZE) { // no spares are left
      active_ = 0;
      status = avrm_comm_shrink(comm_, &rest);
    }
    if (status != AVRM_OK) {
      return false;
    }
    leave(rest);
    std::uint64_t numbers = 0; // of copies, modulo 64: there are two at most
    for (const Copies &copies : copies_) {
      numbers |= std::uint64_t{1} << copies.number % 64;
    }
    status = avrm_comm_agree(comm_, &numbers);
    if (status == AVRM_ERR_PEER) {
      return recover(); // another one has died
    }
    const auto all_have = [&](const Copies &copies) { return (numbers >> copies.number % 64 & 1) != 0; };
    const auto newest = std::find_if(copies_.rbegin(), copies_.rend(), all_have);
    if (status != AVRM_OK || newest == copies_.rend()) {
      return false;
    }
    copies_ = {*newest};
    next_number_ = copies_.front().number + 2; // a number more may have been used by some
    std::vector<int> members;
    for (int rank = 0; rank < avrm_comm_size(comm_); ++rank) {
      members.push_back(avrm_rankmap_gpid(avrm_comm_map(comm_), rank).lpid);
    }
    return go_back_to(copies_.front(), members);
  }

  bool go_back_to(const Copies &copies, const std::vector<int> &members) {
    members_ = members;
    owners_ = copies.owners;
    step_ = copies.step;
    parts_.clear();
    lengths_.resize(owners_.size());
    Exchange exchange(*this);
    for (int part = 0; part < part_count(); ++part) {
      int &owner = owners_[static_cast<std::size_t>(part)];
      int holder = owner;
      if (rank_of(members_, owner) < 0) {
        holder = next_of(copies.members, owner, 1);
        // A spare has the rank of the process that it replaces.
        owner = active_ != 0 ? members_[static_cast<std::size_t>(rank_of(copies.members, owner))] : holder;
      }
      if (rank_of(members_, holder) < 0) {
        return false;
      }
      const auto found = copies.cells.find(part);
      std::size_t &length = lengths_[static_cast<std::size_t>(part)];
      length = copies.number == 0 ? found->second.size() : length;
      const int tag = 3 * part_count() + part;
      if (owner == self()) {
        Cells &cells = parts_.emplace(part, holder == self() ? found->second : Cells(length)).first->second;
        if (holder != self()) {
          exchange.receive(holder, tag, cells.data(), length);
        }
      } else if (holder == self()) {
        exchange.send(owner, tag, found->second.data(), length);
      }
    }
    restored_ = exchange.wait(); // if another one has died, all begin again
    return true;
  }

  void leave(avrm_comm_t *next) {
    if (comm_ != world_ && comm_ != next) {
      (void)avrm_comm_free(comm_);
    }
    comm_ = next;
  }

  avrm_comm_t *world_;
  avrm_comm_t *comm_;
  int active_;                       // ranks that have a part each; 0: there are no spares any more
  avrm_status_t restored_ = AVRM_OK; // of sending copies to spares
  std::vector<int> members_;         // of `comm_`, by rank
  std::vector<int> owners_;
  std::vector<std::size_t> lengths_; // cells of each part
  std::map<int, Cells> parts_;
  int step_ = 0;
  std::uint32_t next_number_ = 1;
  std::vector<Copies> copies_; // oldest first
};

} // namespace avrankmap::test

#endif
