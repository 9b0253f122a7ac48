// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/ucx.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <string_view>

#include "base/environment.h"
#include "base/file_pages.h"
#include "ucx/interfaces.h"
#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

// What a list of transports requests: for example "tcp,self", or "^sysv,posix" for all but these.
struct Wish {
  bool only_tcp; // and no other network
  bool shared_memory;
  bool whatever; // any available network: all, or all but some
};

// The transports that a list names.
struct Named {
  bool all = false;
  bool tcp = false;
  bool posix = false;
  bool sysv = false;
  bool others = false; // other networks
};

template <std::size_t kCount> bool contains(const std::string_view (&list)[kCount], std::string_view name) noexcept {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

Named named_in(std::string_view transports) noexcept {
  constexpr std::string_view kPosix[] = {"sm", "shm", "mm", "posix"};
  constexpr std::string_view kSysv[] = {"sm", "shm", "mm", "sysv"};
  constexpr std::string_view kOtherLocal[] = {"self", "cma", "knem", "xpmem"};
  Named named;
  while (!transports.empty()) {
    const std::size_t comma = std::min(transports.find(','), transports.size());
    const std::string_view name = transports.substr(0, comma);
    transports.remove_prefix(std::min(comma + 1, transports.size()));
    const bool is_posix = contains(kPosix, name);
    const bool is_sysv = contains(kSysv, name);
    named.all = named.all || name == "all";
    named.tcp = named.tcp || name == "tcp";
    named.posix = named.posix || is_posix;
    named.sysv = named.sysv || is_sysv;
    named.others = named.others || (name != "tcp" && !is_posix && !is_sysv && !contains(kOtherLocal, name));
  }
  return named;
}

// True if the system has InfiniBand or RoCE.
bool has_fabric() noexcept {
  const std::unique_ptr<DIR, int (*)(DIR *)> devices(opendir("/sys/class/infiniband"), closedir);
  const dirent *entry = devices == nullptr ? nullptr : readdir(devices.get());
  while (entry != nullptr && entry->d_name[0] == '.') {
    entry = readdir(devices.get());
  }
  return entry != nullptr;
}

Wish wish_of(std::string_view transports) noexcept {
  const bool is_negated = transports.substr(0, 1) == "^";
  const Named named = named_in(transports.substr(is_negated ? 1 : 0));
  if (is_negated) {
    const bool shared_memory = !(named.posix && named.sysv);
    return {!named.tcp && !shared_memory && !has_fabric(), shared_memory, true};
  }
  return {named.tcp && !named.others, named.all || named.posix || named.sysv, named.all};
}

// Over TCP, UCX emulates puts and gets, and lets any sender access any address. So they are
// requested only if a faster transport may execute them, or if the user wants them.
bool asks_for_rma(const Wish &wish) noexcept {
  if (env::word(env::kUcxNoRma) != nullptr) {
    return !env::flag(env::kUcxNoRma);
  }
  return wish.whatever ? has_fabric() : !wish.only_tcp;
}

const char *transports_of_environment() noexcept {
  const char *const word = env::word(env::kUcxTls);
  return word != nullptr ? word : env::row(env::kUcxTls).default_value;
}

struct ConfigDeleter {
  void operator()(ucp_config_t *config) const noexcept { ucp_config_release(config); }
};

// Sets an option of UCX to the default of avrankmap, unless the environment sets it or one of
// `others`.
ucs_status_t prefer(ucp_config_t *config, env::Variable variable,
                    std::initializer_list<env::Variable> others = {}) noexcept {
  constexpr std::size_t kPrefix = std::string_view("UCX_").size();
  const auto is_set = [](env::Variable one) { return env::text(one) != nullptr; };
  if (is_set(variable) || std::any_of(others.begin(), others.end(), is_set)) {
    return UCS_OK;
  }
  const avrm_variable_t &row = env::row(variable);
  return ucp_config_modify(config, row.name + kPrefix, row.default_value);
}

// Chooses UCX's network interfaces if it has TCP and no faster network, unless the user has chosen
// them.
ucs_status_t choose_interfaces(ucp_config_t *config, const Wish &wish, bool local_only) noexcept {
  if (local_only && wish.only_tcp) {
    return prefer(config, env::kUcxNetDevices);
  }
  const bool is_tcp = wish.only_tcp || (wish.whatever && !has_fabric());
  char list[512];
  if (env::text(env::kUcxNetDevices) != nullptr || !is_tcp || !interfaces_but_bridges(list, sizeof list)) {
    return UCS_OK;
  }
  return ucp_config_modify(config, "NET_DEVICES", list);
}

// Reads UCX's configuration from the environment and adds the defaults of avrankmap.
ucs_status_t configure(const Transport &net, std::unique_ptr<ucp_config_t, ConfigDeleter> *config_p) noexcept {
  ucp_config_t *config = nullptr;
  ucs_status_t native = ucp_config_read(nullptr, nullptr, &config);
  if (native != UCS_OK) {
    return native;
  }
  config_p->reset(config);
  if (net.was_chosen || net.leaves_out_sysv) {
    native = ucp_config_modify(config, "TLS", net.leaves_out_sysv ? net.transports : net.config.provider);
  }
  const Wish wish = wish_of(net.transports);
  if (native == UCS_OK) {
    native = choose_interfaces(config, wish, net.config.local_only);
  }
  // Without this option, shared memory does not report the death of a peer, and UCX does not use it
  // with peers that may die. The option is set only if needed, because UCX warns about unused
  // options.
  if (native == UCS_OK && wish.shared_memory) {
    native = prefer(config, env::kUcxMmErrorHandling);
  }
  // With this option, messages of up to 256 bytes are stored in the queue. Otherwise they are
  // stored in a buffer, whose cache lines are fetched only after the receiver has read the queue.
  if (native == UCS_OK && wish.shared_memory) {
    native = prefer(config, env::kUcxMmFifoElemSize,
                    {env::kUcxPosixFifoElemSize, env::kUcxSysvFifoElemSize, env::kUcxXpmemFifoElemSize});
  }
  if (native == UCS_OK) {
    native = prefer(config, env::kUcxKeepaliveInterval);
  }
  return native;
}

// Returns false if there is no System V shared memory, or a seccomp filter refuses it, as in
// containers. Requests a segment that is too small, so that none is created.
bool has_sysv() noexcept {
  return shmget(IPC_PRIVATE, 0, 0) >= 0 || (errno != ENOSYS && errno != EPERM && errno != EACCES);
}

// UCX fails if sysv is one of its transports and cannot be opened. So this excludes sysv if UCX
// chooses among transports. Returns false if the list names sysv, or has no room for another name.
bool leave_out_sysv(Transport &net) noexcept {
  const std::string_view transports = net.transports;
  const bool is_negated = transports.substr(0, 1) == "^";
  const Named named = named_in(transports.substr(is_negated ? 1 : 0));
  if ((is_negated ? named.sysv : !named.sysv && !named.all) || has_sysv()) {
    return true;
  }
  const std::string_view name = is_negated ? ",sysv" : "^sysv";
  const std::size_t bytes = is_negated ? transports.size() : 0;
  if ((!is_negated && !named.all) || bytes + name.size() >= sizeof net.transports) {
    return false;
  }
  (void)std::snprintf(net.transports + bytes, sizeof net.transports - bytes, "%s", name.data());
  net.leaves_out_sysv = true;
  return true;
}

void init_request(void *request) noexcept { new (request) Op; }

ucs_status_t open_context(Transport &net) noexcept {
  std::unique_ptr<ucp_config_t, ConfigDeleter> config;
  ucs_status_t native = configure(net, &config);
  if (native != UCS_OK) {
    return native;
  }
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_REQUEST_SIZE | UCP_PARAM_FIELD_REQUEST_INIT;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_AM;
  if (net.config.may_sleep) {
    params.features |= UCP_FEATURE_WAKEUP;
  }
  if (asks_for_rma(wish_of(net.transports))) { // otherwise UCX accepts no puts and gets at all
    params.features |= UCP_FEATURE_RMA;
    net.common.capabilities = AVRM_NETMOD_PUT | AVRM_NETMOD_GET | AVRM_NETMOD_PUT_INJECT;
    if (net.config.atomics == AVRM_NETMOD_ATOMICS_ANY ||
        (net.config.atomics == AVRM_NETMOD_ATOMICS_OWN && has_fabric())) {
      params.features |= UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64;
      net.common.capabilities |= AVRM_NETMOD_ATOMIC;
    }
  }
  params.request_size = sizeof(Op);
  params.request_init = init_request;
  if (net.config.expected_peers > 0) {
    params.field_mask |= UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    params.estimated_num_eps = static_cast<std::size_t>(net.config.expected_peers);
  }
  ucp_context_h context = nullptr;
  native = ucp_init(&params, config.get(), &context);
  if (native == UCS_OK) {
    net.context.reset(context);
  }
  return native;
}

ucs_status_t open_worker(Transport &net) noexcept {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucp_worker_h worker = nullptr;
  const ucs_status_t native = ucp_worker_create(net.context.get(), &params, &worker);
  if (native == UCS_OK) {
    net.worker.reset(worker);
    if (!net.config.may_sleep || ucp_worker_get_efd(worker, &net.wait_fd) != UCS_OK) {
      net.wait_fd = -1;
    }
  }
  return native;
}

avrm_status_t open_failed(const Transport &net, const char *call, ucs_status_t native) noexcept {
  open_error().set(call, net.transports, native);
  return native == UCS_ERR_NO_MEMORY ? AVRM_ERR_NO_MEMORY : AVRM_ERR_UNSUPPORTED;
}

// If a seccomp filter refuses eventfd, UCX cannot wake sleeping threads.
bool has_eventfd() noexcept {
  const int descriptor = eventfd(0, EFD_CLOEXEC);
  if (descriptor < 0) {
    return errno != ENOSYS && errno != EPERM;
  }
  ::close(descriptor);
  return true;
}

// UCX 1.13 aborts if it runs out of descriptors while it opens, which takes up to 13 over tcp and
// more on machines with several interfaces.
bool has_descriptors() noexcept {
  std::array<int, 32> taken{}; // the number in the text below
  bool all = true;
  for (int &descriptor : taken) {
    descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    all = all && descriptor >= 0;
  }
  for (const int descriptor : taken) {
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
  return all;
}

// UCX 1.13 starts a thread while it opens, and aborts if it cannot. Old filters of containers
// refuse clone3 with EPERM, after which the C library tries no other call.
bool has_threads() noexcept {
  pthread_t thread{};
  const bool started = pthread_create(
                           &thread, nullptr, [](void * /*user*/) -> void * { return nullptr; }, nullptr) == 0;
  return started && pthread_join(thread, nullptr) == 0;
}

avrm_status_t open_netmod(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) noexcept {
  std::unique_ptr<Transport> net(new (std::nothrow) Transport);
  if (net == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const NoFileSizeSignal held; // UCX creates files for shared memory
  net->config = *config;
  net->config.may_sleep = config->may_sleep && has_eventfd();
  net->was_chosen = config->provider != nullptr;
  (void)std::snprintf(net->transports, sizeof net->transports, "%s",
                      net->was_chosen ? config->provider : transports_of_environment());
  if (!leave_out_sysv(*net)) {
    open_error().set("sysv, shm, sm and mm need shmget, which is refused", net->transports, UCS_ERR_UNSUPPORTED);
    return AVRM_ERR_UNSUPPORTED;
  }
  if (!has_descriptors()) {
    open_error().set("ucp_init needs 32 free descriptors", net->transports, UCS_ERR_NO_RESOURCE);
    return AVRM_ERR_SYSTEM;
  }
  if (!has_threads()) {
    open_error().set("ucp_init starts a thread, which clone3 or a limit refuses", net->transports, UCS_ERR_NO_RESOURCE);
    return AVRM_ERR_SYSTEM;
  }
  ucs_status_t native = open_context(*net);
  if (native != UCS_OK) {
    return open_failed(*net, "ucp_init", native);
  }
  native = open_worker(*net);
  if (native != UCS_OK) {
    return open_failed(*net, "ucp_worker_create", native);
  }
  native = open_active(*net);
  if (native != UCS_OK) {
    return open_failed(*net, "ucp_worker_set_am_recv_handler", native);
  }
  (void)std::snprintf(net->description, sizeof net->description, "UCX %s, %s", ucp_get_version_string(),
                      net->transports);
  net->config.provider = nullptr; // belongs to the caller, as does the allocator
  net->config.allocator = nullptr;
  net->common.ops = avrm_netmod_ucx();
  net->common.inject_max = kInjectMax;
  net->common.am_max = kActiveMax;
  net->common.pieces_max = kMaxPieces;
  net->common.capabilities |= AVRM_NETMOD_DELIVERS;
  net->common.poll_pause_ns = wish_of(net->transports).shared_memory ? kLullNs : 0;
  net->choose_ways();
  *netmod_p = &net.release()->common;
  return AVRM_OK;
}

// Opens another context, because workers of one context share locks. No active message arrives
// there, because its address is not published.
avrm_status_t open_queue(avrm_netmod_t *netmod, avrm_netmod_t **queue_p) noexcept {
  const Transport &first = transport_of(netmod);
  avrm_netmod_config_t config = first.config;
  config.provider = first.was_chosen ? first.transports : nullptr;
  config.may_sleep = false;
  return open_netmod(&config, queue_p);
}

void close_netmod(avrm_netmod_t *netmod) noexcept {
  const std::unique_ptr<Transport> net(&transport_of(netmod));
  close_endpoints(*net);
}

const char *last_error(const avrm_netmod_t *netmod) noexcept {
  return netmod == nullptr ? open_error().get() : transport_of(netmod).error.get();
}

const char *describe(const avrm_netmod_t *netmod) noexcept { return transport_of(netmod).description; }

avrm_status_t address(avrm_netmod_t *netmod, void *buffer, std::size_t *bytes_p) noexcept {
  Transport &net = transport_of(netmod);
  ucp_address_t *own = nullptr;
  std::size_t bytes = 0;
  const ucs_status_t native = ucp_worker_get_address(net.worker.get(), &own, &bytes);
  if (native != UCS_OK) {
    return net.failed_call("ucp_worker_get_address", native);
  }
  const bool fits = kAddressHeader + bytes <= *bytes_p;
  if (fits) {
    const std::uint64_t hash = hash_of(own, bytes);
    std::memcpy(buffer, &hash, sizeof hash);
    std::memcpy(static_cast<unsigned char *>(buffer) + kAddressHeader, own, bytes);
    *bytes_p = kAddressHeader + bytes;
  }
  ucp_worker_release_address(net.worker.get(), own);
  return fits ? AVRM_OK : AVRM_ERR_SIZE;
}

avrm_status_t arm(avrm_netmod_t *netmod, int *descriptor_p) noexcept {
  Transport &net = transport_of(netmod);
  if (net.wait_fd < 0) {
    return AVRM_ERR_UNSUPPORTED;
  }
  if (net.arrived_first != nullptr || !net.errors.empty()) {
    return AVRM_ERR_AGAIN;
  }
  const ucs_status_t native = ucp_worker_arm(net.worker.get());
  *descriptor_p = net.wait_fd;
  return native == UCS_OK ? AVRM_OK : native == UCS_ERR_BUSY ? AVRM_ERR_AGAIN : AVRM_ERR_UNSUPPORTED;
}

int progress(avrm_netmod_t *netmod) noexcept {
  Transport &net = transport_of(netmod);
  const int events = static_cast<int>(ucp_worker_progress(net.worker.get()));
  if (AVRM_LIKELY(net.arrived_first == nullptr && !net.attention)) {
    return events;
  }
  return events + deliver_active(net) + attend_endpoints(net);
}

constexpr avrm_netmod_ops_t kOps{
    .bytes = sizeof(avrm_netmod_ops_t),
    .version = AVRM_NETMOD_VERSION,
    .codec = AVRM_CODEC_UCX,
    .name = "ucx",
    .open = open_netmod,
    .close = close_netmod,
    .last_error = last_error,
    .describe = describe,
    .address = address,
    .insert = insert,
    .remove = remove_peer,
    .tinject = tinject,
    .tsend = tsend,
    .trecv = trecv,
    .cancel = cancel,
    .am_send = am_send,
    .progress = progress,
    .peer_failed = peer_failed,
    .tprobe = tprobe,
    .trecv_claimed = trecv_claimed,
    .memory_register = memory_register,
    .memory_release = memory_release,
    .memory_describe = memory_describe,
    .memory_values = nullptr,
    .key_open = key_open,
    .key_close = key_close,
    .put = put,
    .get = get,
    .flush = flush,
    .arm = arm,
    .open_queue = open_queue,
    .put_inject = put_inject,
    .atomic = atomic,
    .fp_tinject = avrm_ucx_tinject,
    .fp_put_inject = avrm_ucx_put_inject,
    .tsend_sync = tsend_sync,
};

} // namespace

} // namespace avrankmap::detail::ucx

const avrm_netmod_ops_t *avrm_netmod_ucx(void) noexcept { return &avrankmap::detail::ucx::kOps; }
