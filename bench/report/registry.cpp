// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/registry.h"

#include "component/creation/irregular.h"
#include "component/creation/map_creation.h"
#include "component/groups/group_operations.h"
#include "component/groups/shrink.h"
#include "component/memory/memory_use.h"
#include "component/memory/survey_modes.h"
#include "component/memory/torus_split.h"
#include "component/translation/cache_misses.h"
#include "component/translation/compression.h"
#include "component/translation/implicit_scaling.h"
#include "component/translation/instruction_counts.h"
#include "component/translation/instructions.h"
#include "component/translation/inverse.h"
#include "component/translation/issue_rate.h"
#include "component/translation/translation_cache_rates.h"
#if AVRM_HAVE_DEVICE
#include "device/creation/creation_ops.h"
#include "device/creation/split_crossover.h"
#include "device/fastpath/counts.h"
#include "device/fastpath/fastpath.h"
#include "device/fastpath/forms.h"
#include "device/fastpath/networks.h"
#include "device/fastpath/threads.h"
#include "device/job_memory/whole_device.h"
#include "device/processes/put_rates.h"
#include "device/transports/connection.h"
#include "device/transports/opening.h"
#include "device/transports/sleep.h"
#include "device/transports/transports.h"
#endif

namespace avrankmap::bench {
namespace {

constexpr const Measurement *kAll[] = {
    &kInstructions,    &kInstructionStudy, &kInverse,       &kIssueRates,      &kMapRates,
    &kImplicitScaling, &kCompression,      &kCaches,        &kCacheMisses,     &kBytesPerProcess,
    &kSurvey,          &kSurveyModes,      &kTorusSplits,   &kDetection,       &kMapCreation,
    &kIrregularRanks,  &kGroupOperations,  &kShrink,
#if AVRM_HAVE_DEVICE
    &kFastpath,        &kFastpathCounts,   &kFastpathForms, &kFastpathThreads, &kFastpathNetworks,
    &kCreationOps,     &kSplitCrossover,   &kConnection,    &kTransportRates,  &kPutRates,
    &kSleep,           &kOpening,          &kWholeDevice,
#endif
};

} // namespace

std::span<const Measurement *const> all_measurements() { return kAll; }

} // namespace avrankmap::bench
