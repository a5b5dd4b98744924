#include "protocol/cluster/sealed_session_id.hpp"

#include "protocol/text/hex.hpp"
#include "protocol/text/same_secret.hpp"

namespace troupe::protocol {

namespace {

constexpr std::size_t random_size = 32;
constexpr std::size_t life_size = 32;
constexpr std::size_t seal_size = 32;

} // namespace

std::string sealed_session_ids::make(const random_bytes& bytes, node_life owner) const {
  auto body = make_session_id(bytes) + life_text(owner);
  auto seal = seal_of(body);
  return body + seal;
}

std::optional<node_life> sealed_session_ids::owner(std::string_view id) const {
  if (id.size() != random_size + life_size + seal_size)
    return std::nullopt;
  auto body = id.substr(0, random_size + life_size);
  if (!same_secret(id.substr(body.size()), seal_of(body)))
    return std::nullopt;
  return read_life(body.substr(random_size));
}

std::string sealed_session_ids::seal_of(std::string_view body) const { return hex(seal_(body)); }

} // namespace troupe::protocol
