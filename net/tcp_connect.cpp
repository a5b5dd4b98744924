#include "net/tcp_connect.hpp"

#include "net/endpoint.hpp"
#include "protocol/text/ip_address.hpp"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;

namespace {

bool is_public(const asio::ip::tcp::endpoint& one) {
  auto address = protocol::read_ip_address(one.address().to_string());
  return address && address->is_public();
}

} // namespace

tcp_connect::tcp_connect(const tcp::socket::executor_type& on, protocol::host_port to, std::chrono::milliseconds time,
                         reach may, on_end then)
    : to_{std::move(to)}, time_{time}, may_{may}, ended_{std::move(then)}, socket_{on}, timer_{on} {}

void tcp_connect::start() {
  std::vector<tcp::endpoint> known;
  for (auto& one : known_addresses(to_.host))
    known.emplace_back(one, to_.port);
  if (known.empty())
    look_up();
  else
    try_each(std::move(known));
}

void tcp_connect::look_up() {
  auto on_found = [self = shared_from_this()](error_code error, const tcp::resolver::results_type& found) {
    if (error)
      self->end(error, "cannot resolve " + self->to_.host + ": " + error.message());
    else
      self->try_each({found.begin(), found.end()});
  };
  resolver_.emplace(socket_.get_executor());
  resolver_->async_resolve(to_.host, std::to_string(to_.port), tcp::resolver::numeric_service, on_found);
}

/// Divides the time, so that an address that drops packets leaves the others their share.
void tcp_connect::try_each(std::vector<tcp::endpoint> addresses) {
  addresses_ = std::move(addresses);
  if (may_ == reach::public_only)
    std::erase_if(addresses_, [](auto& one) { return !is_public(one); });
  if (addresses_.empty())
    return end(asio::error::access_denied, "refuses to connect to " + to_.host + ": its address is not public");
  std::ranges::reverse(addresses_);
  time_ /= static_cast<int>(addresses_.size() + 1);
  try_next();
}

void tcp_connect::try_next() {
  if (!ended_)
    return;
  auto next = addresses_.back();
  addresses_.pop_back();
  error_code ignored;
  socket_.close(ignored);
  socket_.async_connect(next, [self = shared_from_this()](auto error) { self->on_tried(error); });
  if (!addresses_.empty())
    pass_over_later();
}

/// Closes an attempt after its share of the time. The last address has all the time that is left.
void tcp_connect::pass_over_later() {
  if (time_ == std::chrono::milliseconds{0})
    return;
  timer_.expires_after(time_);
  timer_.async_wait([self = shared_from_this(), left = addresses_.size()](auto error) {
    error_code ignored;
    if (!error && self->ended_ && left == self->addresses_.size())
      self->socket_.close(ignored);
  });
}

void tcp_connect::on_tried(error_code error) {
  timer_.cancel();
  if (!error && !socket_.is_open()) // closed by the timer just as it connected
    error = asio::error::timed_out;
  if (!error)
    end({}, {});
  else if (!addresses_.empty())
    try_next();
  else
    end(error, "cannot connect to " + to_.host + " port " + std::to_string(to_.port) + ": " + error.message());
}

void tcp_connect::end(error_code error, std::string why_not) {
  if (auto tell = std::exchange(ended_, nullptr))
    tell(std::move(socket_), error, std::move(why_not));
}

void tcp_connect::cancel() {
  ended_ = nullptr;
  error_code ignored;
  if (resolver_)
    resolver_->cancel();
  timer_.cancel();
  socket_.close(ignored);
}

} // namespace troupe::net
