// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "null/null_net.h"

#include <cstring>

void avrm_null_init(avrm_null_net_t *net) noexcept { std::memset(net, 0, sizeof *net); }

void avrm_null_far(avrm_null_net_t *net, avrm_null_opcode_t opcode) noexcept {
  switch (opcode) {
  case AVRM_NULL_PUT: ++net->far_puts; return;
  case AVRM_NULL_ISEND: ++net->far_isends; return;
  }
}
