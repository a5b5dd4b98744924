#include "net/name_lookup.hpp"

#include "net/endpoint.hpp"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <sstream>
#include <utility>

namespace troupe::net {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

std::string text_of(const tcp::endpoint& address) {
  std::ostringstream result;
  result << address;
  return result.str();
}

/// Returns each address once, in order of preference (RFC 6724).
std::vector<std::string> texts_of(const tcp::resolver::results_type& found) {
  std::vector<std::string> result;
  for (auto& one : found)
    if (auto text = text_of(one); std::ranges::find(result, text) == result.end())
      result.push_back(std::move(text));
  return result;
}

} // namespace

class name_lookup::questions : public std::enable_shared_from_this<questions> {
public:
  explicit questions(io_thread& thread) : thread_{thread}, resolver_{thread.context()} {}

  void find(const std::string& host, std::uint16_t port, on_found then) {
    if (auto known = known_addresses(host); !known.empty())
      return tell_later(known, port, std::move(then));
    auto on_resolved = [self = shared_from_this(), host, then = std::move(then)](error_code error, const auto& found) {
      if (!self->is_closed_)
        then(texts_of(found), error ? "cannot resolve " + host + ": " + error.message() : "");
    };
    resolver_.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service, std::move(on_resolved));
  }

  void close() {
    is_closed_ = true;
    resolver_.cancel();
  }

private:
  void tell_later(const std::vector<boost::asio::ip::address>& known, std::uint16_t port, on_found then) {
    std::vector<std::string> texts;
    for (auto& one : known)
      texts.push_back(text_of({one, port}));
    thread_.post([self = shared_from_this(), texts = std::move(texts), then = std::move(then)] {
      if (!self->is_closed_)
        then(texts, {});
    });
  }

  io_thread& thread_;
  tcp::resolver resolver_;
  bool is_closed_ = false;
};

name_lookup::name_lookup(io_thread& thread) : thread_{thread}, questions_{std::make_shared<questions>(thread)} {}

name_lookup::~name_lookup() {
  thread_.dispatch([all = questions_] { all->close(); });
}

void name_lookup::find(const std::string& host, std::uint16_t port, on_found then) {
  questions_->find(host, port, std::move(then));
}

} // namespace troupe::net
