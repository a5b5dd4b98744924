#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// One side's part in the handshake of two nodes: takes what the other said and says what to answer.
///
/// Each says a fresh nonce and its hello, then proves by a keyed digest over all of these that it has the key, then
/// gives its verdict on the link, `ok` or `no` with a reason. The digest names who dialled, so that a proof that is
/// sent back proves nothing. Keeps no more than a few KiB of what was said.
class node_link_handshake {
public:
  static constexpr std::size_t longest_hello = 4096;
  static constexpr std::size_t longest_reason = 200;

  node_link_handshake(bool dials, std::string key, std::string hello);

  /// What to say first.
  std::string greeting() const;
  /// Takes what came; returns what to answer.
  std::string feed(std::string_view bytes);
  /// What we say of the link in the end.
  static std::string consent();
  static std::string refusal(std::string_view why);

  /// Why there will be no link, in one line; empty while there may be one.
  const std::string& why_not() const { return why_not_; }
  /// Whether it was the other side that refused.
  bool is_refused() const { return is_refused_; }
  /// Whether it has said nothing yet that only a node says, nor begun with TLS, as a node of another setting may.
  bool is_stranger() const { return is_stranger_; }
  /// Whether the other side has the key.
  bool is_proven() const { return step_ >= step::verdict; }
  /// Whether the other side said `ok`.
  bool is_welcome() const { return step_ == step::over; }
  /// What the other side said of itself.
  const std::string& hello() const { return their_hello_; }
  /// What came after the handshake.
  std::string take_rest();

private:
  enum class step { greeting, hello, proof, verdict, over };

  bool advance(std::string& answer);
  bool read_greeting();
  bool read_hello(std::string& answer);
  bool read_proof();
  bool read_verdict();
  std::optional<std::string> next_line(std::size_t longest);
  bool is_refusal(std::string_view line);
  bool fail(std::string why);
  std::string proof(bool of_dialler) const;

  bool dials_;
  std::string key_;
  std::string our_nonce_;
  std::string our_hello_;
  step step_ = step::greeting;
  std::string unread_;
  std::string their_nonce_;
  std::size_t their_size_ = 0;
  std::string their_hello_;
  std::string why_not_;
  bool is_refused_ = false;
  bool is_stranger_ = true;
};

} // namespace troupe::net
