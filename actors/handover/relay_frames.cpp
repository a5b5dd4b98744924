#include "actors/handover/relay_frames.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace troupe::actors {

namespace {

template <class Word>
std::optional<relay_word> read_word(caf::binary_deserializer& from) {
  Word result;
  if (inspect(from, result) || from.remaining() != 0)
    return std::nullopt;
  return result;
}

using word_reader = std::optional<relay_word> (*)(caf::binary_deserializer&);

/// By the first byte, which says which word it is.
template <std::size_t... I>
constexpr std::array<word_reader, sizeof...(I)> readers_of(std::index_sequence<I...>) {
  return {read_word<std::variant_alternative_t<I, relay_word>>...};
}
constexpr auto readers = readers_of(std::make_index_sequence<std::variant_size_v<relay_word>>{});

} // namespace

std::string frame_of(caf::actor_system& system, relay_word& what) {
  std::vector<char> bytes{static_cast<char>(what.index())};
  caf::binary_serializer to{system, bytes};
  std::visit([&](auto& word) { inspect(to, word); }, what);
  return {bytes.begin(), bytes.end()};
}

std::optional<relay_word> read_frame(caf::actor_system& system, const std::string& text) {
  const auto which = text.empty() ? readers.size() : static_cast<std::size_t>(static_cast<unsigned char>(text.front()));
  if (which >= readers.size())
    return std::nullopt;
  caf::binary_deserializer from{system, text.data() + 1, text.size() - 1};
  return readers[which](from);
}

} // namespace troupe::actors
