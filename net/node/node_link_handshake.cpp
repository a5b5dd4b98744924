#include "net/node/node_link_handshake.hpp"

#include "net/crypto.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

namespace troupe::net {

namespace {

constexpr std::string_view magic = "troupe-node ";
/// Version 1 had no TLS, or proofs that were not bound to the connection.
constexpr std::string_view version = "2 ";
constexpr std::string_view consent_word = "ok";
constexpr std::string_view refusal_word = "no ";
constexpr std::size_t proof_size = 32;
constexpr std::size_t longest_greeting = 64;
constexpr std::size_t longest_line = refusal_word.size() + node_link_handshake::longest_reason;

bool are_alike(std::string_view a, std::string_view b) {
  auto size = std::min(a.size(), b.size());
  return a.substr(0, size) == b.substr(0, size);
}

} // namespace

node_link_handshake::node_link_handshake(bool dials, std::vector<std::string> keys, std::string hello)
    : dials_{dials}, keys_{std::move(keys)}, our_hello_{std::move(hello)} {
  assert(!keys_.empty() && our_hello_.size() <= longest_hello);
}

std::string node_link_handshake::begin(std::string binding) {
  binding_ = std::move(binding);
  return dials_ ? greeting() : std::string{};
}

std::string node_link_handshake::greeting() const {
  return std::string{magic}.append(version) + proof(keys_.front(), dials_, our_hello_) + ' ' +
         std::to_string(our_hello_.size()) + '\n' + our_hello_;
}

std::string node_link_handshake::consent() { return std::string{consent_word} + '\n'; }

std::string node_link_handshake::refusal(std::string_view why) {
  return std::string{refusal_word} + protocol::one_line(why, longest_reason) + '\n';
}

std::string node_link_handshake::feed(std::string_view bytes) {
  std::string answer;
  unread_ += bytes;
  while (why_not_.empty() && advance(answer)) {
  }
  return answer;
}

std::string node_link_handshake::take_rest() { return std::exchange(unread_, {}); }

// -- what the other side says ------------------------------------------------------------

/// Reads one part of the input. Whether there may be more to read.
bool node_link_handshake::advance(std::string& answer) {
  switch (step_) {
  case step::greeting:
    return read_initialize_outcome(answer);
  case step::hello:
    return read_hello(answer);
  case step::verdict:
    return read_verdict();
  case step::over:
    break;
  }
  return false;
}

/// Knows a stranger by its first bytes: its line may never end. The called side may refuse before it greets, and sends
/// a caller of another version its own, by which each version knows the others.
bool node_link_handshake::read_initialize_outcome(std::string& answer) {
  if (dials_ && are_alike(unread_, refusal_word)) {
    auto line = next_line(longest_line);
    return line && !is_refusal(*line) && fail("it is no node");
  }
  is_stranger_ = !unread_.starts_with(magic);
  if (!are_alike(unread_, magic))
    return fail("it is no node");
  if (unread_.size() > magic.size() && !are_alike(std::string_view{unread_}.substr(magic.size()), version)) {
    if (!dials_)
      answer += std::string{magic}.append(version) + '\n';
    return fail("it speaks another version");
  }
  auto line = next_line(longest_greeting);
  if (!line)
    return false;
  auto said = std::string_view{*line}.substr(std::min(line->size(), magic.size() + version.size()));
  auto size = said.size() > proof_size ? protocol::read_number(said.substr(proof_size + 1)) : std::nullopt;
  if (!size || said[proof_size] != ' ')
    return fail("it is no node");
  if (*size > longest_hello)
    return fail("its hello is too long");
  their_proof_ = said.substr(0, proof_size);
  their_size_ = *size;
  step_ = step::hello;
  return true;
}

bool node_link_handshake::read_hello(std::string& answer) {
  if (unread_.size() < their_size_)
    return false;
  their_hello_ = unread_.substr(0, their_size_);
  unread_.erase(0, their_size_);
  if (!find_key())
    return fail("it has another cluster key");
  if (!dials_)
    answer += greeting();
  step_ = step::verdict;
  return true;
}

/// Finds the key that was proven. The called side accepts any key and answers by it: the caller may not have the others
/// any more, or not yet. The caller accepts no other than its own.
bool node_link_handshake::find_key() {
  const auto is_authenticated = [this](auto& key) {
    return protocol::same_secret(their_proof_, proof(key, !dials_, their_hello_));
  };
  const auto last = dials_ ? keys_.begin() + 1 : keys_.end();
  const auto found = std::find_if(keys_.begin(), last, is_authenticated);
  if (found == last)
    return false;
  std::iter_swap(keys_.begin(), found);
  return true;
}

bool node_link_handshake::read_verdict() {
  auto line = next_line(longest_line);
  if (!line || is_refusal(*line))
    return false;
  if (*line != consent_word)
    return fail("it is no node");
  step_ = step::over;
  return false;
}

std::optional<std::string> node_link_handshake::next_line(std::size_t longest) {
  auto end = unread_.find('\n');
  if (std::min(end, unread_.size()) > longest)
    fail("it is no node");
  if (end == unread_.npos || !why_not_.empty())
    return std::nullopt;
  auto line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

bool node_link_handshake::is_refusal(std::string_view line) {
  if (!line.starts_with(refusal_word))
    return false;
  auto why = protocol::one_line(line.substr(refusal_word.size()), longest_reason);
  is_refused_ = true;
  fail(why.empty() ? "it refuses the link" : why);
  return true;
}

bool node_link_handshake::fail(std::string why) {
  why_not_ = std::move(why);
  unread_.clear();
  return false;
}

std::string node_link_handshake::proof(const std::string& key, bool of_dialler, std::string_view hello) const {
  auto text = std::string{magic}.append(version) + (of_dialler ? "dial " : "accept ");
  text.append(protocol::hex(std::as_bytes(std::span{binding_}))).append(" ").append(hello);
  return protocol::hex(keyed_digest(key, text));
}

} // namespace troupe::net
