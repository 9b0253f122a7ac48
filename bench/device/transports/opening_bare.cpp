// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/opening_bare.h"

#if AVRM_HAVE_OFI
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#endif
#if AVRM_HAVE_UCX
#include <ucp/api/ucp.h>
#endif

#include <cstring>

namespace avrankmap::bench {
namespace {

#if AVRM_HAVE_OFI
bool open_ofi(const char *provider, const std::function<void()> &after_query) {
  fi_info *const hints = fi_allocinfo();
  if (hints == nullptr) {
    return false;
  }
  hints->caps = FI_MSG | FI_TAGGED | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->fabric_attr->prov_name = ::strdup(provider);
  fi_info *info = nullptr;
  const int found = fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", nullptr, FI_SOURCE, hints, &info);
  fi_freeinfo(hints);
  after_query();
  if (found != 0) {
    return false;
  }
  fid_fabric *fabric = nullptr;
  fid_domain *domain = nullptr;
  fid_ep *endpoint = nullptr;
  fid_cq *cq = nullptr;
  fid_av *av = nullptr;
  fi_cq_attr cq_attr{};
  cq_attr.size = 4096;
  cq_attr.format = FI_CQ_FORMAT_TAGGED;
  fi_av_attr av_attr{};
  av_attr.type = FI_AV_TABLE;
  const auto opened = [&] {
    return fi_fabric(info->fabric_attr, &fabric, nullptr) == 0 && fi_domain(fabric, info, &domain, nullptr) == 0 &&
           (fi_av_open(domain, &av_attr, &av, nullptr) == 0 ||
            (av_attr.type = FI_AV_MAP, fi_av_open(domain, &av_attr, &av, nullptr) == 0)) &&
           fi_cq_open(domain, &cq_attr, &cq, nullptr) == 0 && fi_endpoint(domain, info, &endpoint, nullptr) == 0 &&
           fi_ep_bind(endpoint, &av->fid, 0) == 0 && fi_ep_bind(endpoint, &cq->fid, FI_TRANSMIT | FI_RECV) == 0 &&
           fi_enable(endpoint) == 0;
  };
  const bool ok = opened();
  fi_freeinfo(info);
  return ok;
}
#endif

#if AVRM_HAVE_UCX
bool open_ucx(const std::function<void()> &after_query) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA;
  ucp_context_h context = nullptr;
  const ucs_status_t found = ucp_init(&params, nullptr, &context);
  after_query();
  ucp_worker_params_t worker_params{};
  worker_params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker_params.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  return found == UCS_OK && ucp_worker_create(context, &worker_params, &worker) == UCS_OK;
}
#endif

} // namespace

bool open_bare(const Transport &transport, [[maybe_unused]] const std::function<void()> &after_query) {
#if AVRM_HAVE_OFI
  if (transport.bare == Bare::kOfi) {
    return open_ofi(transport.provider, after_query);
  }
#endif
#if AVRM_HAVE_UCX
  if (transport.bare == Bare::kUcx) {
    return open_ucx(after_query);
  }
#endif
  return false;
}

} // namespace avrankmap::bench
