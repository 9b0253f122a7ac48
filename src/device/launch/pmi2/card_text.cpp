// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmi2/card_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace avrankmap::detail {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kPieceBytes = CardText::kPieceDigits / 4 * 3;
static_assert(CardText::kPieceDigits % 4 == 0);
static_assert(CardText::kPieceDigits + sizeof "1024:" <= CardText::kPieceMax);
static_assert(CardText::pieces_of(AVRM_BOOT_CARD_MAX) <= CardText::kMostPieces);

} // namespace

std::string CardText::piece_of(std::string_view card, std::size_t piece) {
  std::string text = piece == 0 ? std::to_string(card.size()) + ":" : std::string();
  std::string_view left = card.substr(piece * kPieceBytes, kPieceBytes);
  while (!left.empty()) {
    const std::size_t count = std::min<std::size_t>(left.size(), 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(left[i]) : 0U);
    }
    for (std::size_t i = 0; i <= count; ++i) {
      text += kDigits[bits >> (18 - 6 * i) & 63];
    }
    left.remove_prefix(count);
  }
  return text;
}

bool CardText::add(std::string_view piece) noexcept {
  if (pieces_ == 0) {
    const std::size_t colon = piece.find(':');
    const auto [stop, error] = std::from_chars(piece.data(), piece.data() + std::min(colon, piece.size()), bytes_);
    if (colon == std::string_view::npos || error != std::errc() || stop != piece.data() + colon ||
        bytes_ > sizeof card_) {
      return false;
    }
    piece.remove_prefix(colon + 1);
  }
  const std::size_t expected = std::min(bytes_ - written_, kPieceBytes);
  if (piece.size() != (expected * 4 + 2) / 3) {
    return false;
  }
  const std::size_t end = written_ + expected;
  std::uint32_t bits = 0;
  int pending = 0;
  for (const char digit : piece) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) {
      return false;
    }
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    pending += 6;
    if (pending >= 8 && written_ < end) {
      pending -= 8;
      card_[written_++] = static_cast<char>(bits >> pending & 0xFF);
    }
  }
  ++pieces_;
  return true;
}

} // namespace avrankmap::detail
