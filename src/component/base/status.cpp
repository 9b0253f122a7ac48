// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/status.h"

const char *avrm_status_name(avrm_status_t status) noexcept {
  switch (status) {
#define AVRM_NAME(name, value, text)                                                                                   \
  case name: return #name;
    AVRM_STATUS_LIST(AVRM_NAME)
#undef AVRM_NAME
  }
  return "AVRM_ERR_?";
}

const char *avrm_status_text(avrm_status_t status) noexcept {
  switch (status) {
#define AVRM_TEXT(name, value, text)                                                                                   \
  case name: return text;
    AVRM_STATUS_LIST(AVRM_TEXT)
#undef AVRM_TEXT
  }
  return "unknown status";
}
