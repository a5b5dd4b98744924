#pragma once

#include "net/byte_stream.hpp"
#include "net/node/node_link.hpp"
#include "net/node/node_link_handshake.hpp"
#include "net/node/node_link_stream.hpp"

namespace troupe::net {

/// One connection with another node: the handshake, then the decision of both. Then another thread carries its bytes,
/// and this watches that some come.
///
/// Lives on one thread, kept alive by its own operations; never blocks. Nobody is told anything after `close`, and its
/// outcome and its end are never told from inside a call to it, but for `drop`.
class node_link_connection : public std::enable_shared_from_this<node_link_connection> {
public:
  using tcp = boost::asio::ip::tcp;

  /// Takes the bytes of the link.
  using on_open = std::function<void(std::shared_ptr<node_link_stream>)>;

  /// Its settings, and the callbacks for its outcome and its end.
  struct settings {
    byte_stream::tls_context tls;
    /// Those who share this share a place among those who have not proven yet that they are nodes.
    std::string neighbourhood;
    std::chrono::milliseconds limit;
    std::chrono::milliseconds silence;
    /// Runs work on the thread of the connection, as long as that is there. Callable from any thread.
    std::function<void(std::function<void()>)> post;
    /// That it can be taken, or why it never will be.
    std::function<void(std::string why_not)> outcome;
    /// That it is closed.
    std::function<void()> ended;
  };

  node_link_connection(tcp::socket socket, node_link_handshake handshake, settings of);
  node_link_connection(const node_link_connection&) = delete;
  node_link_connection& operator=(const node_link_connection&) = delete;

  /// One or the other, once.
  void dial(const tcp::endpoint& to);
  void accept();

  /// What becomes of it once it can be taken.
  void take(on_open opened, std::function<void()> on_closed);
  void refuse(const std::string& why);
  void close();
  /// Closes it, and says only that.
  void hang_up();
  /// Closes it, for this reason.
  void drop(const std::string& why);

  const std::string& neighbourhood() const { return settings_.neighbourhood; }
  /// One that called, and has not proven that it is a node, nor will when it is over.
  bool is_unproven() const { return !dials_ && !handshake_.is_proven(); }
  /// There will be no link; the other side may still hear why.
  bool is_over() const { return is_over_; }
  /// Whether nothing of what it has said is like a node, of whatever setting.
  bool is_stranger() const { return is_stranger_ && handshake_.is_stranger(); }
  /// Whether it is a link, or may be one, of a node that has proven itself by none of these keys.
  bool is_by_another_key(const std::vector<std::string>& keys) const;
  /// What the other side says of itself, once it has proven that it is a node.
  std::string hello() const { return handshake_.is_proven() ? handshake_.hello() : std::string{}; }

private:
  using error_code = boost::system::error_code;

  void be_patient();
  void secure();
  void greet();
  void read();
  void on_read(error_code error, std::string_view bytes);
  void go_on();
  void offer_once();
  void say(std::string text);
  void on_all_said();
  void open();
  void watch();
  void on_watched();
  void on_end(owned_descriptor socket);
  void give_up(const std::string& why);
  void lose(const std::string& why);
  void leave();
  void cut();
  void conclude(const std::string& why);
  void end();

  node_link_handshake handshake_;
  settings settings_;
  std::shared_ptr<byte_stream> stream_;
  boost::asio::steady_timer timer_;
  on_open opened_;
  std::function<void()> on_closed_;
  /// Until its bytes end.
  std::weak_ptr<node_link_stream> bytes_;
  bool dials_ = false;
  bool is_stranger_ = true;
  bool is_over_ = false;
};

} // namespace troupe::net
