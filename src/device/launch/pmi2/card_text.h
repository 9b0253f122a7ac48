// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A card as text, for launchers whose key-value spaces accept only short texts:
//
//   piece 0   length of the card in bytes, ':', digits
//   piece 1.. digits
//
// The digits are in base 64 (A-Z a-z 0-9 - _), 4 for every 3 bytes, without padding.
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_CARD_TEXT_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_CARD_TEXT_H

#include <cstddef>
#include <string>
#include <string_view>

#include "avrankmap/device/boot.h"

namespace avrankmap::detail {

class CardText {
public:
  // Maximum length of a piece: hydra 4.0 crashes with a segmentation fault at values of 1,024.
  static constexpr std::size_t kPieceMax = 1000;
  // Maximum number of digits of a piece. They encode whole bytes.
  static constexpr std::size_t kPieceDigits = 984;
  static constexpr std::size_t kMostPieces = (AVRM_BOOT_CARD_MAX * 4 / 3 + kPieceDigits) / kPieceDigits;

  static constexpr std::size_t pieces_of(std::size_t bytes) noexcept {
    const std::size_t digits = (bytes * 4 + 2) / 3;
    return digits <= kPieceDigits ? 1 : (digits + kPieceDigits - 1) / kPieceDigits;
  }
  // Returns a piece of a card; `piece` is below pieces_of(card.size()). May throw std::bad_alloc.
  [[nodiscard]] static std::string piece_of(std::string_view card, std::size_t piece);

  // Adds the next piece, starting with piece 0. Returns false if the text is not that piece.
  [[nodiscard]] bool add(std::string_view piece) noexcept;
  // True if no piece is missing; `card` then returns the card.
  [[nodiscard]] bool is_whole() const noexcept { return pieces_ != 0 && pieces_ == pieces_of(bytes_); }
  [[nodiscard]] std::string_view card() const noexcept { return {card_, bytes_}; }

private:
  std::size_t pieces_ = 0; // added
  std::size_t bytes_ = 0;  // of the whole card
  std::size_t written_ = 0;
  char card_[AVRM_BOOT_CARD_MAX];
};

} // namespace avrankmap::detail

#endif
