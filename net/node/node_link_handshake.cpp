#include "net/node/node_link_handshake.hpp"

#include "net/digest.hpp"
#include "net/random.hpp"
#include "protocol/text/hex.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/one_line.hpp"

#include <algorithm>
#include <cassert>
#include <openssl/crypto.h>
#include <utility>

namespace troupe::net {

namespace {

constexpr std::string_view magic = "troupe-node ";
constexpr std::string_view version = "1 ";
constexpr std::string_view proof_word = "proof ";
constexpr std::string_view consent_word = "ok";
constexpr std::string_view refusal_word = "no ";
constexpr std::size_t nonce_size = 32;
constexpr std::size_t longest_greeting = 64;
constexpr std::size_t longest_line = refusal_word.size() + node_link_handshake::longest_reason;

bool are_alike(std::string_view a, std::string_view b) {
  auto size = std::min(a.size(), b.size());
  return a.substr(0, size) == b.substr(0, size);
}

/// The types of the records that TLS begins with: an alert, or a handshake (RFC 8446, 5.1).
bool is_tls(std::string_view text) { return text.starts_with('\x15') || text.starts_with('\x16'); }

bool is_nonce(std::string_view text) {
  return text.size() == nonce_size && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// How long it takes tells nothing about where they differ.
bool is_same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace

node_link_handshake::node_link_handshake(bool dials, std::string key, std::string hello)
    : dials_{dials}, key_{std::move(key)}, our_nonce_{protocol::hex(random_128())}, our_hello_{std::move(hello)} {
  assert(our_hello_.size() <= longest_hello);
}

std::string node_link_handshake::greeting() const {
  return std::string{magic}.append(version) + our_nonce_ + ' ' + std::to_string(our_hello_.size()) + '\n' + our_hello_;
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

/// Whether there may be more to read.
bool node_link_handshake::advance(std::string& answer) {
  switch (step_) {
  case step::greeting:
    return read_greeting();
  case step::hello:
    return read_hello(answer);
  case step::proof:
    return read_proof();
  case step::verdict:
    return read_verdict();
  case step::over:
    break;
  }
  return false;
}

/// A stranger is known by its first bytes: it may never end its line.
bool node_link_handshake::read_greeting() {
  is_stranger_ = !is_tls(unread_) && !unread_.starts_with(magic);
  if (is_tls(unread_))
    return fail("it speaks TLS");
  if (!are_alike(unread_, magic))
    return fail("it is no node");
  if (unread_.size() > magic.size() && !are_alike(std::string_view{unread_}.substr(magic.size()), version))
    return fail("it speaks another version");
  auto line = next_line(longest_greeting);
  if (!line)
    return false;
  auto said = std::string_view{*line}.substr(std::min(line->size(), magic.size() + version.size()));
  auto size = said.size() > nonce_size ? protocol::read_number(said.substr(nonce_size + 1)) : std::nullopt;
  if (!size || !is_nonce(said.substr(0, nonce_size)) || said[nonce_size] != ' ')
    return fail("it is no node");
  if (*size > longest_hello)
    return fail("its hello is too long");
  their_nonce_ = said.substr(0, nonce_size);
  their_size_ = *size;
  step_ = step::hello;
  return true;
}

/// Nobody else has our nonce, unless it is sent back to us.
bool node_link_handshake::read_hello(std::string& answer) {
  if (their_nonce_ == our_nonce_)
    return fail("it says what we say");
  if (unread_.size() < their_size_)
    return false;
  their_hello_ = unread_.substr(0, their_size_);
  unread_.erase(0, their_size_);
  answer += std::string{proof_word} + proof(dials_) + '\n';
  step_ = step::proof;
  return true;
}

bool node_link_handshake::read_proof() {
  auto line = next_line(longest_line);
  if (!line || is_refusal(*line))
    return false;
  if (!line->starts_with(proof_word))
    return fail("it is no node");
  if (!is_same_secret(std::string_view{*line}.substr(proof_word.size()), proof(!dials_)))
    return fail("it has another cluster key");
  step_ = step::verdict;
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

/// The sizes keep one hello apart from the other.
std::string node_link_handshake::proof(bool of_dialler) const {
  auto text = std::string{magic}.append(version) + (of_dialler ? "dial " : "accept ");
  text += dials_ ? our_nonce_ + ' ' + their_nonce_ : their_nonce_ + ' ' + our_nonce_;
  for (auto hello : {dials_ ? &our_hello_ : &their_hello_, dials_ ? &their_hello_ : &our_hello_})
    text += ' ' + std::to_string(hello->size()) + '\n' + *hello;
  return protocol::hex(keyed_digest(key_, text));
}

} // namespace troupe::net
