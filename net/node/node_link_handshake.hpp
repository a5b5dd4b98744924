#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// Handshake of two nodes, seen from one side, after that of TLS: takes input and returns the answer to send.
///
/// The caller sends its hello with a keyed digest that proves a key; the called side, silent before, replies by the
/// same key. Then each sends its verdict on the link, `ok` or `no` with a reason. The digest covers the sender's role,
/// and a secret of the two ends of this TLS connection (RFC 8446, 7.5). This way a proof that is sent back, or passed
/// on over another connection, proves nothing. Keeps no more than a few KiB of the input.
class node_link_handshake {
public:
  static constexpr std::size_t longest_hello = 4096;
  static constexpr std::size_t longest_reason = 200;

  /// The caller proves its first key, the called side the key that the caller has proven; it accepts each of its keys.
  node_link_handshake(bool dials, std::vector<std::string> keys, std::string hello);

  /// Returns the first bytes to send; empty on the called side. Only the ends of the connection know `binding`.
  std::string begin(std::string binding);
  /// Takes input; returns the answer to send.
  std::string feed(std::string_view bytes);
  /// Return our verdict on the link, to send at the end.
  static std::string consent();
  static std::string refusal(std::string_view why);

  /// Why there will be no link, in one line; empty while there may be one.
  const std::string& why_not() const { return why_not_; }
  /// Whether the other side refused the link.
  bool is_refused() const { return is_refused_; }
  /// Whether the other side has sent nothing yet that only a node sends.
  bool is_stranger() const { return is_stranger_; }
  /// Key that the other side has proven to have, once it has.
  const std::string& key() const { return keys_.front(); }
  /// Whether the other side has a key of ours.
  bool is_authenticated() const { return step_ >= step::verdict; }
  /// Whether the other side has sent `ok`.
  bool is_accepted() const { return step_ == step::over; }
  /// Hello of the other side.
  const std::string& hello() const { return their_hello_; }
  /// Returns the input that followed the handshake.
  std::string take_rest();

private:
  enum class step { greeting, hello, verdict, over };

  bool advance(std::string& answer);
  bool read_initialize_outcome(std::string& answer);
  bool read_hello(std::string& answer);
  bool read_verdict();
  std::optional<std::string> next_line(std::size_t longest);
  bool is_refusal(std::string_view line);
  bool fail(std::string why);
  std::string greeting() const;
  bool find_key();
  std::string proof(const std::string& key, bool of_dialler, std::string_view hello) const;

  bool dials_;
  /// Keys; the one in use comes first.
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
