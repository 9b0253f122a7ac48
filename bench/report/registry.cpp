// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/registry.h"

#include "creation/map_creation.h"
#include "groups/group_operations.h"
#include "groups/shrink.h"
#include "memory/memory_use.h"
#include "memory/survey_modes.h"
#include "memory/torus_split.h"
#include "translation/cache_misses.h"
#include "translation/compression.h"
#include "translation/implicit_scaling.h"
#include "translation/instruction_counts.h"
#include "translation/instructions.h"
#include "translation/inverse.h"
#include "translation/issue_rate.h"
#include "translation/translation_cache_rates.h"
#if AVRM_HAVE_DEVICE
#include "creation/creation_ops.h"
#include "creation/split_crossover.h"
#include "fastpath/counts.h"
#include "fastpath/fastpath.h"
#include "fastpath/forms.h"
#include "fastpath/networks.h"
#include "fastpath/threads.h"
#include "noncollective/mcmc.h"
#include "processes/put_rates.h"
#include "transports/connection.h"
#include "transports/opening.h"
#include "transports/sleep.h"
#include "transports/transports.h"
#include "whole/whole_device.h"
#endif

namespace avrankmap::bench {
namespace {

constexpr const Measurement *kAll[] = {
    &kInstructions,     &kInstructionStudy, &kInverse,        &kIssueRates,
    &kMapRates,         &kImplicitScaling,  &kCompression,    &kCaches,
    &kCacheMisses,      &kBytesPerProcess,  &kSurvey,         &kSurveyModes,
    &kTorusSplits,      &kDetection,        &kMapCreation,    &kGroupOperations,
    &kShrink,
#if AVRM_HAVE_DEVICE
    &kFastpath,         &kFastpathCounts,   &kFastpathForms,  &kFastpathThreads,
    &kFastpathNetworks, &kCreationOps,      &kSplitCrossover, &kMcmc,
    &kConnection,       &kTransportRates,   &kPutRates,       &kSleep,
    &kOpening,          &kWholeDevice,
#endif
};

} // namespace

std::span<const Measurement *const> all_measurements() { return kAll; }

} // namespace avrankmap::bench
