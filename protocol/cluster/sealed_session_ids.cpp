#include "protocol/cluster/sealed_session_ids.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::protocol {

namespace {

constexpr std::size_t random_size = 32;
constexpr std::size_t life_size = 32;
constexpr std::size_t seal_size = 32;

} // namespace

std::string sealed_session_ids::make(const random_bytes& bytes, node_life owner) const {
  auto body = make_session_id(bytes) + life_text(owner);
  return body + hex(seals_(body).front());
}

std::optional<node_life> sealed_session_ids::owner(std::string_view id) const {
  if (id.size() != random_size + life_size + seal_size)
    return std::nullopt;
  auto body = id.substr(0, random_size + life_size);
  auto is_sealed = [&](auto& seal) { return same_secret(id.substr(body.size()), hex(seal)); };
  if (std::ranges::none_of(seals_(body), is_sealed))
    return std::nullopt;
  return read_life(body.substr(random_size));
}

std::string life_named_by(std::string_view id) {
  return id.size() < random_size + life_size ? std::string{} : std::string{id.substr(random_size, life_size)};
}

} // namespace troupe::protocol
