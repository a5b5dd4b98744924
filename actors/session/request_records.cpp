#include "actors/session/request_records.hpp"

#include "actors/runtime/unit.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

// -- from the client -----------------------------------------------------------------------

void request_records::begin(protocol::post_body& body) {
  for (auto& one : body.messages)
    begin(one);
}

void request_records::begin(protocol::message& request) {
  if (!is_watched() || !protocol::is_request(request))
    return;
  if (all_.back().request)
    all_.push_back({last_exchange_});
  auto& added = all_.back().request.emplace(++last_request_, request, at());
  if (request.trace)
    added.span = begin_span(request, added.what);
}

std::optional<protocol::exchange_id> request_records::lost(const caf::actor_addr& broker) {
  auto found =
      std::ranges::find_if(all_, [&](auto& one) { return one.client.broker && one.client.broker.address() == broker; });
  if (found == all_.end())
    return std::nullopt;
  auto result = found->exchange;
  found->client = {};
  remove_if_over(found);
  return result;
}

void request_records::note_receiver(std::string_view server) {
  for (auto& one : all_)
    if (one.request && !std::exchange(one.request->is_sent, true))
      one.request->server = server;
}

// -- ends of requests ----------------------------------------------------------------------

/// A lease reports no id: its exchanges have one request each.
void request_records::end(protocol::exchange_id exchange, std::string_view id, protocol::call_outcome how) {
  auto found = std::ranges::find_if(all_, [&](auto& one) {
    return one.exchange == exchange && one.request && (id.empty() || one.request->id == id);
  });
  if (found == all_.end())
    return;
  const auto took = measure(*found->request, how);
  report(exchange, how, std::move(*found->request), took);
  found->request.reset();
  remove_if_over(found);
}

/// For a batch, keeps the first error and the longest time.
void request_records::report(protocol::exchange_id exchange, protocol::call_outcome how, request&& ended,
                             std::chrono::nanoseconds took) {
  auto& known = first_of(exchange)->client.report;
  known.in_server = std::max(known.in_server, took);
  if (known.error.empty())
    known.error = how.text();
  if (known.server.empty())
    known.server = std::move(ended.server);
}

template <class Which, class End>
void request_records::end_each(Which which, End end) {
  for (auto& one : all_)
    if (one.request && which(one)) {
      end(*one.request);
      one.request.reset();
    }
  std::erase_if(all_, [](auto& one) { return one.is_over(); });
}

void request_records::end_all(protocol::call_outcome how) {
  end_each([](auto&) { return true; }, [&](auto& one) { measure(one, how); });
}

// -- answers -------------------------------------------------------------------------------

void request_records::reject(protocol::exchange_id exchange, protocol::rejection why) {
  end_each([&](auto& one) { return one.exchange == exchange; },
           [&](auto& one) { measure(one, protocol::failed_with(why.code)); });
  answer(exchange, http_rejected{std::move(why)});
}

request_records::client request_records::pass_on(protocol::exchange_id exchange) {
  end_each([&](auto& one) { return one.exchange == exchange; },
           [&](auto& one) { end_span(one, {}, at().now() - one.began); });
  auto result = release(exchange);
  if (result.broker)
    note_held(self_, result.broker, result.came, false);
  return result;
}

/// The exchange's requests stay: a stream may end before their answers, to be resumed.
request_records::client request_records::release(protocol::exchange_id exchange) {
  auto found = first_of(exchange);
  if (found == all_.end() || !found->client.broker)
    return {};
  auto result = std::move(found->client);
  if (found->request)
    found->client = {};
  else
    all_.erase(found);
  self_->demonitor(result.broker.address());
  return result;
}

void request_records::tell(protocol::stream_part part) {
  auto found = first_of(part.exchange);
  if (found == all_.end() || !found->client.broker)
    return;
  auto& to = found->client;
  to.streams = true;
  if (!part.ends) {
    if (part.begins)
      self_->send(to.broker, sse_begin{std::move(part.events), false});
    else
      self_->send(to.broker, sse_event{std::move(part.events)});
    return;
  }
  auto last = release(part.exchange);
  if (part.begins)
    self_->send(last.broker, sse_begin{std::move(part.events), true, std::move(last.report)});
  else
    self_->send(last.broker, sse_end{std::move(part.events), std::move(last.report)});
}

// -- clients -------------------------------------------------------------------------------

protocol::time_point request_records::first_until() const {
  auto first = std::ranges::min_element(all_, {}, [](auto& one) { return one.client.until; });
  return first == all_.end() ? protocol::time_point::max() : first->client.until;
}

std::vector<protocol::exchange_id> request_records::take_expired(protocol::time_point until, bool resumes_calls) {
  std::vector<protocol::exchange_id> result;
  for (auto& [exchange, one, request] : all_) {
    if (until < one.until)
      continue;
    one.until = protocol::time_point::max();
    if (one.listens || (one.streams && resumes_calls))
      result.push_back(exchange);
  }
  return result;
}

std::size_t request_records::unanswered() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(all_, [](auto& one) { return one.client.broker && !one.client.streams; }));
}

bool request_records::awaits_answer(protocol::exchange_id exchange) {
  auto found = first_of(exchange);
  return found != all_.end() && found->client.broker && !found->client.streams && !found->client.listens;
}

request_records::records::iterator request_records::first_of(protocol::exchange_id exchange) {
  auto found = std::ranges::lower_bound(all_, exchange, {}, &record::exchange);
  return found != all_.end() && found->exchange == exchange ? found : all_.end();
}

void request_records::remove_if_over(records::iterator which) {
  if (which->is_over())
    all_.erase(which);
}

// -- for operators -------------------------------------------------------------------------

std::vector<protocol::live_call> request_records::live() const {
  std::vector<protocol::live_call> result;
  const auto now = at().now();
  for (auto& [exchange, client, one] : all_)
    if (one && ends(*one))
      result.push_back({one->number, one->what.method, std::string{one->what.name}, one->server,
                        std::chrono::duration_cast<std::chrono::milliseconds>(now - one->began)});
  return result;
}

std::optional<std::pair<protocol::exchange_id, std::string>> request_records::find(std::uint64_t number) const {
  for (auto& [exchange, client, one] : all_)
    if (one && one->number == number && ends(*one))
      return std::pair{exchange, one->id};
  return std::nullopt;
}

// -- measuring -----------------------------------------------------------------------------

std::unique_ptr<protocol::span> request_records::begin_span(protocol::message& request,
                                                            const protocol::operation& what) const {
  if (!at().traces() || !request.trace->at.is_sampled)
    return nullptr;
  const auto client = request.trace->client;
  auto result = std::make_unique<protocol::span>(
      protocol::begin_span(request, what, span_start_of(protocol::span::kind::server, at())));
  if (!session_.empty())
    result->add("mcp.session.id", protocol::shown(session_));
  result->add("network.transport", std::string{watch_.transport});
  result->add("client.address", client);
  return result;
}

void request_records::end_span(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const {
  if (!one.span)
    return;
  one.span->add("troupe.server", one.server);
  one.span->end(how, took);
  at().traces()->ended(at(), std::move(*one.span));
}

/// Returns the duration of the request.
std::chrono::nanoseconds request_records::measure(request& one, protocol::call_outcome how) const {
  const auto took = at().now() - one.began;
  end_span(one, how, took);
  if (auto* in = at().metrics())
    protocol::record(*in, protocol::metric::server_operation, one.what, {one.server, watch_.transport}, how, took);
  return took;
}

} // namespace troupe::actors
