#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// One side's part in the handshake of two nodes, which follows that of TLS: takes what the other said and says what to
/// answer.
///
/// Who dialled says its hello, with a keyed digest that proves that it has a key; then the other does with the same
/// key, which has said nothing before. Then each gives its verdict on the link, `ok` or `no` with a reason. The digest
/// is over what only the two ends of this TLS connection know (RFC 8446, 7.5) and over who dialled, so that a proof
/// that is sent back, or passed on over another connection, proves nothing. Keeps no more than a few KiB of what was
/// said.
class node_link_handshake {
public:
  static constexpr std::size_t longest_hello = 4096;
  static constexpr std::size_t longest_reason = 200;

  /// Who dials proves to have the first of the keys, who is called the one that the caller has proven; it accepts each.
  node_link_handshake(bool dials, std::vector<std::string> keys, std::string hello);

  /// What to say first, over a connection of which only its ends know this; empty for who was called.
  std::string begin(std::string binding);
  /// Takes what came; returns what to answer.
  std::string feed(std::string_view bytes);
  /// What we say of the link in the end.
  static std::string consent();
  static std::string refusal(std::string_view why);

  /// Why there will be no link, in one line; empty while there may be one.
  const std::string& why_not() const { return why_not_; }
  /// Whether it was the other side that refused.
  bool is_refused() const { return is_refused_; }
  /// Whether it has said nothing yet that only a node says.
  bool is_stranger() const { return is_stranger_; }
  /// The key that the other side has proven to have, once it has.
  const std::string& key() const { return keys_.front(); }
  /// Whether the other side has a key of ours.
  bool is_proven() const { return step_ >= step::verdict; }
  /// Whether the other side said `ok`.
  bool is_welcome() const { return step_ == step::over; }
  /// What the other side said of itself.
  const std::string& hello() const { return their_hello_; }
  /// What came after the handshake.
  std::string take_rest();

private:
  enum class step { greeting, hello, verdict, over };

  bool advance(std::string& answer);
  bool read_greeting(std::string& answer);
  bool read_hello(std::string& answer);
  bool read_verdict();
  std::optional<std::string> next_line(std::size_t longest);
  bool is_refusal(std::string_view line);
  bool fail(std::string why);
  std::string greeting() const;
  bool find_key();
  std::string proof(const std::string& key, bool of_dialler, std::string_view hello) const;

  bool dials_;
  /// The one that is spoken with comes first.
  std::vector<std::string> keys_;
  std::string our_hello_;
  std::string binding_;
  step step_ = step::greeting;
  std::string unread_;
  std::string their_proof_;
  std::size_t their_size_ = 0;
  std::string their_hello_;
  std::string why_not_;
  bool is_refused_ = false;
  bool is_stranger_ = true;
};

} // namespace troupe::net
