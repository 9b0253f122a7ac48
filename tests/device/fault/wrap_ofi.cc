// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// libfabric. Three of its functions are symbols; the others are called through tables of its
// objects. An object that the library opens gets copies of these tables, in which functions that
// may fail are replaced. Providers do not use the copies.
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "tests/device/fault/faults.h"

namespace {

using namespace avrankmap::test;

int error_of(Fault fault) noexcept {
  switch (fault) {
  case Fault::kNoMemory: return FI_ENOMEM;
  case Fault::kHard: return FI_EIO;
  case Fault::kPeer: return FI_ECONNRESET;
  case Fault::kAgain:
  case Fault::kAgainForMemory: break;
  }
  return FI_EAGAIN;
}

// Returns 0 if the call may proceed.
int refusal(const char *call) noexcept { return is_due(kTransport, call) ? -error_of(faults().fault) : 0; }

// A copy of a table, and the original.
template <typename Table> struct Patched {
  Table table; // first: the object points to it
  const Table *original;
};

template <typename Table> const Table &original(const Table *table) noexcept {
  return *reinterpret_cast<const Patched<Table> *>(table)->original;
}

// Tables are few and live as long as the program: a provider's own objects may still point to them.
template <typename Table> Patched<Table> *keep(const Table *table) {
  static std::vector<std::unique_ptr<Patched<Table>>> all;
  const Faults saved = faults();
  disarm(); // these allocations are not the library's
  for (const auto &one : all) {
    if (one->original == table || &one->table == table) {
      faults() = saved;
      return one.get();
    }
  }
  all.push_back(std::make_unique<Patched<Table>>(Patched<Table>{*table, table}));
  faults() = saved;
  return all.back().get();
}

// Calls the original unless this call is to fail.
#define AVRM_OR_FAIL(name, table, arguments)                                                                           \
  const int rc = refusal(name);                                                                                        \
  return rc != 0 ? rc : original(table).arguments

void patch(fid_ep *ep);

// Closes the object even if the call fails: nobody could reach it any more.
int close_object(fid *object) {
  const int rc = original(object->ops).close(object);
  return is_due(kClosing, "fi_close") ? -FI_EBUSY : rc;
}
// The table that every object has.
fi_ops &patch(fid &object) {
  auto *const ops = keep(object.ops);
  ops->table.close = close_object;
  object.ops = &ops->table;
  return ops->table;
}

// Binds even if the call fails: ofi_rxm crashes when an unbound endpoint is closed.
int bind(fid *object, fid *other, std::uint64_t flags) {
  const int rc = original(object->ops).bind(object, other, flags);
  const int refused = refusal("fi_bind");
  return refused != 0 ? refused : rc;
}
int control_endpoint(fid *object, int command, void *argument) {
  const int refused = refusal("fi_control");
  const int rc = refused != 0 ? refused : original(object->ops).control(object, command, argument);
  patch(reinterpret_cast<fid_ep *>(object)); // its tables may have changed
  return rc;
}

ssize_t trecv(fid_ep *ep, void *buffer, size_t bytes, void *desc, fi_addr_t from, std::uint64_t tag,
              std::uint64_t ignore, void *context) {
  AVRM_OR_FAIL("fi_trecv", ep->tagged, recv(ep, buffer, bytes, desc, from, tag, ignore, context));
}
ssize_t trecvv(fid_ep *ep, const iovec *list, void **desc, size_t count, fi_addr_t from, std::uint64_t tag,
               std::uint64_t ignore, void *context) {
  AVRM_OR_FAIL("fi_trecvv", ep->tagged, recvv(ep, list, desc, count, from, tag, ignore, context));
}
ssize_t tsend(fid_ep *ep, const void *buffer, size_t bytes, void *desc, fi_addr_t to, std::uint64_t tag,
              void *context) {
  AVRM_OR_FAIL("fi_tsend", ep->tagged, send(ep, buffer, bytes, desc, to, tag, context));
}
ssize_t tsendv(fid_ep *ep, const iovec *list, void **desc, size_t count, fi_addr_t to, std::uint64_t tag,
               void *context) {
  AVRM_OR_FAIL("fi_tsendv", ep->tagged, sendv(ep, list, desc, count, to, tag, context));
}
ssize_t tsendmsg(fid_ep *ep, const fi_msg_tagged *message, std::uint64_t flags) {
  AVRM_OR_FAIL("fi_tsendmsg", ep->tagged, sendmsg(ep, message, flags));
}
ssize_t tinject(fid_ep *ep, const void *buffer, size_t bytes, fi_addr_t to, std::uint64_t tag) {
  AVRM_OR_FAIL("fi_tinject", ep->tagged, inject(ep, buffer, bytes, to, tag));
}
ssize_t recv(fid_ep *ep, void *buffer, size_t bytes, void *desc, fi_addr_t from, void *context) {
  AVRM_OR_FAIL("fi_recv", ep->msg, recv(ep, buffer, bytes, desc, from, context));
}
ssize_t send(fid_ep *ep, const void *buffer, size_t bytes, void *desc, fi_addr_t to, void *context) {
  AVRM_OR_FAIL("fi_send", ep->msg, send(ep, buffer, bytes, desc, to, context));
}
ssize_t sendmsg(fid_ep *ep, const fi_msg *message, std::uint64_t flags) {
  AVRM_OR_FAIL("fi_sendmsg", ep->msg, sendmsg(ep, message, flags));
}
ssize_t inject(fid_ep *ep, const void *buffer, size_t bytes, fi_addr_t to) {
  AVRM_OR_FAIL("fi_inject", ep->msg, inject(ep, buffer, bytes, to));
}
ssize_t read(fid_ep *ep, void *buffer, size_t bytes, void *desc, fi_addr_t from, std::uint64_t at, std::uint64_t key,
             void *context) {
  AVRM_OR_FAIL("fi_read", ep->rma, read(ep, buffer, bytes, desc, from, at, key, context));
}
ssize_t writemsg(fid_ep *ep, const fi_msg_rma *message, std::uint64_t flags) {
  AVRM_OR_FAIL("fi_writemsg", ep->rma, writemsg(ep, message, flags));
}
ssize_t inject_write(fid_ep *ep, const void *buffer, size_t bytes, fi_addr_t to, std::uint64_t at, std::uint64_t key) {
  AVRM_OR_FAIL("fi_inject_write", ep->rma, inject(ep, buffer, bytes, to, at, key));
}
ssize_t atomicmsg(fid_ep *ep, const fi_msg_atomic *message, std::uint64_t flags) {
  AVRM_OR_FAIL("fi_atomicmsg", ep->atomic, writemsg(ep, message, flags));
}
ssize_t compare_atomicmsg(fid_ep *ep, const fi_msg_atomic *message, const fi_ioc *compare, void **compare_desc,
                          size_t compares, fi_ioc *result, void **result_desc, size_t results, std::uint64_t flags) {
  AVRM_OR_FAIL("fi_compare_atomicmsg", ep->atomic,
               compwritemsg(ep, message, compare, compare_desc, compares, result, result_desc, results, flags));
}
int getname(fid_t object, void *address, size_t *bytes) {
  const auto *const ep = reinterpret_cast<fid_ep *>(object);
  AVRM_OR_FAIL("fi_getname", ep->cm, getname(object, address, bytes));
}

// A completion that was turned into an error, until fi_cq_readerr returns it.
struct PendingError {
  const fid_cq *cq;
  fi_cq_err_entry entry;
};
std::optional<PendingError> pending_error;

// Completions that were kept back.
struct LateEntry {
  const fid_cq *cq;
  fi_cq_tagged_entry entry;
};
std::vector<LateEntry> late;
void keep_back(const LateEntry &one) {
  const Faults saved = faults();
  disarm(); // this allocation is not the library's
  late.push_back(one);
  faults() = saved;
}

ssize_t cq_read(fid_cq *cq, void *buffer, size_t count) {
  if (is_due(kLate, "completion")) {
    LateEntry one{cq, {}};
    if (original(cq->ops).read(cq, &one.entry, 1) == 1) {
      keep_back(one);
    }
    return -FI_EAGAIN;
  }
  const auto kept = std::find_if(late.begin(), late.end(), [cq](const LateEntry &one) { return one.cq == cq; });
  if (kept != late.end()) {
    *static_cast<fi_cq_tagged_entry *>(buffer) = kept->entry;
    late.erase(kept);
    return 1;
  }
  if (is_due(kQueue, "fi_cq_read")) {
    return -error_of(faults().fault);
  }
  if (pending_error && pending_error->cq == cq) {
    return -FI_EAVAIL;
  }
  if ((faults().families & kCompletions) == 0) {
    return original(cq->ops).read(cq, buffer, count);
  }
  const ssize_t got = original(cq->ops).read(cq, buffer, 1);
  if (got == 1 && !pending_error && is_due(kCompletions, "completion")) {
    const auto &entry = *static_cast<const fi_cq_tagged_entry *>(buffer);
    fi_cq_err_entry error = {};
    error.op_context = entry.op_context;
    error.flags = entry.flags;
    error.tag = entry.tag;
    error.err = error_of(faults().fault);
    pending_error = {cq, error};
    return -FI_EAVAIL;
  }
  return got;
}

ssize_t cq_readerr(fid_cq *cq, fi_cq_err_entry *entry, std::uint64_t flags) {
  if (is_due(kQueue, "fi_cq_readerr")) {
    return -error_of(faults().fault);
  }
  if (pending_error && pending_error->cq == cq) {
    *entry = pending_error->entry;
    pending_error.reset();
    return 1;
  }
  return original(cq->ops).readerr(cq, entry, flags);
}

int av_insert(fid_av *av, const void *address, size_t count, fi_addr_t *handles, std::uint64_t flags, void *context) {
  AVRM_OR_FAIL("fi_av_insert", av->ops, insert(av, address, count, handles, flags, context));
}

void patch(fid_ep *ep) {
  fi_ops &object = patch(ep->fid);
  object.bind = bind;
  object.control = control_endpoint;
  auto *const tagged = keep(ep->tagged);
  tagged->table.recv = trecv;
  tagged->table.recvv = trecvv;
  tagged->table.send = tsend;
  tagged->table.sendv = tsendv;
  tagged->table.sendmsg = tsendmsg;
  tagged->table.inject = tinject;
  ep->tagged = &tagged->table;
  auto *const msg = keep(ep->msg);
  msg->table.recv = recv;
  msg->table.send = send;
  msg->table.sendmsg = sendmsg;
  msg->table.inject = inject;
  ep->msg = &msg->table;
  auto *const rma = keep(ep->rma);
  rma->table.read = read;
  rma->table.writemsg = writemsg;
  rma->table.inject = inject_write;
  ep->rma = &rma->table;
  if (ep->atomic != nullptr) {
    auto *const atomic = keep(ep->atomic);
    atomic->table.writemsg = atomicmsg;
    atomic->table.compwritemsg = compare_atomicmsg;
    ep->atomic = &atomic->table;
  }
  auto *const cm = keep(ep->cm);
  cm->table.getname = getname;
  ep->cm = &cm->table;
}

int av_open(fid_domain *domain, fi_av_attr *attributes, fid_av **av, void *context) {
  const int refused = refusal("fi_av_open");
  const int rc = refused != 0 ? refused : original(domain->ops).av_open(domain, attributes, av, context);
  if (rc == 0) {
    auto *const ops = keep((*av)->ops);
    ops->table.insert = av_insert;
    (*av)->ops = &ops->table;
    patch((*av)->fid);
  }
  return rc;
}

int cq_open(fid_domain *domain, fi_cq_attr *attributes, fid_cq **cq, void *context) {
  const int refused = refusal("fi_cq_open");
  const int rc = refused != 0 ? refused : original(domain->ops).cq_open(domain, attributes, cq, context);
  if (rc == 0) {
    // Of an earlier queue.
    std::erase_if(late, [cq](const LateEntry &one) { return one.cq == *cq; });
    auto *const ops = keep((*cq)->ops);
    ops->table.read = cq_read;
    ops->table.readerr = cq_readerr;
    (*cq)->ops = &ops->table;
    patch((*cq)->fid);
  }
  return rc;
}

int endpoint(fid_domain *domain, fi_info *info, fid_ep **ep, void *context) {
  const int refused = refusal("fi_endpoint");
  const int rc = refused != 0 ? refused : original(domain->ops).endpoint(domain, info, ep, context);
  if (rc == 0) {
    patch(*ep);
  }
  return rc;
}

int mr_reg(fid *object, const void *buffer, size_t bytes, std::uint64_t access, std::uint64_t offset, std::uint64_t key,
           std::uint64_t flags, fid_mr **region, void *context) {
  const auto *const domain = reinterpret_cast<fid_domain *>(object);
  const int refused = refusal("fi_mr_reg");
  const int rc = refused != 0
                     ? refused
                     : original(domain->mr).reg(object, buffer, bytes, access, offset, key, flags, region, context);
  if (rc == 0) {
    patch((*region)->fid);
  }
  return rc;
}

int open_domain(fid_fabric *fabric, fi_info *info, fid_domain **domain, void *context) {
  const int refused = refusal("fi_domain");
  const int rc = refused != 0 ? refused : original(fabric->ops).domain(fabric, info, domain, context);
  if (rc == 0) {
    auto *const ops = keep((*domain)->ops);
    ops->table.av_open = av_open;
    ops->table.cq_open = cq_open;
    ops->table.endpoint = endpoint;
    (*domain)->ops = &ops->table;
    auto *const mr = keep((*domain)->mr);
    mr->table.reg = mr_reg;
    (*domain)->mr = &mr->table;
    patch((*domain)->fid);
  }
  return rc;
}

} // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl51-cpp): the linker's names
extern "C" {
int __real_fi_getinfo(std::uint32_t version, const char *node, const char *service, std::uint64_t flags,
                      const fi_info *hints, fi_info **info);
int __wrap_fi_getinfo(std::uint32_t version, const char *node, const char *service, std::uint64_t flags,
                      const fi_info *hints, fi_info **info);
int __wrap_fi_getinfo(std::uint32_t version, const char *node, const char *service, std::uint64_t flags,
                      const fi_info *hints, fi_info **info) {
  const int rc = refusal("fi_getinfo");
  return rc != 0 ? rc : __real_fi_getinfo(version, node, service, flags, hints, info);
}

fi_info *__real_fi_dupinfo(const fi_info *info);
fi_info *__wrap_fi_dupinfo(const fi_info *info);
fi_info *__wrap_fi_dupinfo(const fi_info *info) {
  return is_due(kTransport, "fi_dupinfo") ? nullptr : __real_fi_dupinfo(info);
}

int __real_fi_fabric(fi_fabric_attr *attributes, fid_fabric **fabric, void *context);
int __wrap_fi_fabric(fi_fabric_attr *attributes, fid_fabric **fabric, void *context);
int __wrap_fi_fabric(fi_fabric_attr *attributes, fid_fabric **fabric, void *context) {
  const int refused = refusal("fi_fabric");
  const int rc = refused != 0 ? refused : __real_fi_fabric(attributes, fabric, context);
  if (rc == 0) {
    auto *const ops = keep((*fabric)->ops);
    ops->table.domain = open_domain;
    (*fabric)->ops = &ops->table;
    patch((*fabric)->fid);
  }
  return rc;
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl51-cpp)
