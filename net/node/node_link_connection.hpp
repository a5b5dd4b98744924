#pragma once

#include "net/byte_stream.hpp"
#include "net/node/node_link.hpp"
#include "net/node/node_link_handshake.hpp"
#include "net/node/node_link_stream.hpp"

namespace troupe::net {

/// Connection with another node: the handshakes, then the decision of both sides. Afterwards another thread carries its
/// bytes, and this object watches that some arrive.
///
/// Lives on one thread, kept alive by its own operations; never blocks. No callback runs after `close`. Outcome and end
/// are never reported from inside a call, except by `drop`.
class node_link_connection : public std::enable_shared_from_this<node_link_connection> {
public:
  using tcp = boost::asio::ip::tcp;

  /// Takes the bytes of the link.
  using on_open = std::function<void(std::shared_ptr<node_link_stream>)>;

  /// Settings, and callbacks for the outcome and the end.
  struct settings {
    byte_stream::tls_context tls;
    /// Address, or network of IPv6, by which connections are counted that have not proven yet to be nodes.
    std::string neighbourhood;
    std::chrono::milliseconds limit;
    std::chrono::milliseconds silence;
    /// Runs work on the thread of the connection, as long as it exists. Callable from any thread.
    std::function<void(std::function<void()>)> post;
    /// Called when the link can be taken, with an empty text, or with why it never will be.
    std::function<void(std::string why_not)> outcome;
    /// Called when the connection is closed.
    std::function<void()> ended;
  };

  node_link_connection(tcp::socket socket, node_link_handshake handshake, settings of);
  node_link_connection(const node_link_connection&) = delete;
  node_link_connection& operator=(const node_link_connection&) = delete;

  /// Begins as the caller or as the called side: one of the two, once.
  void dial(const tcp::endpoint& to);
  void accept();

  /// Decides on a link that can be taken.
  void consent(on_open opened, std::function<void()> on_closed);
  void refuse(const std::string& why);
  void close();
  /// Closes the connection, and reports only its end.
  void disconnect();
  /// Closes the connection, and reports this reason.
  void drop(const std::string& why);

  const std::string& neighbourhood() const { return settings_.neighbourhood; }
  /// Whether the other side called and has not proven that it is a node; stays true once the connection is over.
  bool is_unproven() const { return !dials_ && !handshake_.is_authenticated(); }
  /// Whether there will be no link; the reason may still be on its way to the other side.
  bool is_over() const { return is_over_; }
  /// Whether the other side has sent nothing like a node of any setting.
  bool is_stranger() const { return is_stranger_ && handshake_.is_stranger(); }
  /// Whether no process listens at the address that was dialled.
  bool is_refused() const { return is_refused_; }
  /// Whether this is, or may become, a link of a node that has proven itself by none of these keys.
  bool is_by_another_key(const std::vector<std::string>& keys) const;
  /// Hello of the other side, once it has proven that it is a node; empty before.
  std::string hello() const { return handshake_.is_authenticated() ? handshake_.hello() : std::string{}; }

private:
  using error_code = boost::system::error_code;

  void start_timer();
  void secure();
  void greet();
  void read();
  void on_read(error_code error, std::string_view bytes);
  void advance();
  void send(std::string text);
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
  /// Byte stream of the link, until it ends.
  std::weak_ptr<node_link_stream> bytes_;
  bool dials_ = false;
  bool is_stranger_ = true;
  bool is_refused_ = false;
  bool is_over_ = false;
};

} // namespace troupe::net
