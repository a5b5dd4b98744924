#include "tests/simulation/client.hpp"

#include "tests/simulation/client_messages.hpp"

#include "protocol/cluster/unanswered_requests.hpp"
#include "protocol/delivery/streams.hpp"
#include "protocol/message/message.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <utility>

namespace troupe::tests::simulation {

// -- actions ---------------------------------------------------------------------------------

void client::begin() { plan(habits_.pause); }

void client::plan(span_of_time most) {
  time_.after(time_.luck().between(1ms, 2 * most), [weak = weak_from_this()] {
    if (auto self = weak.lock())
      self->act();
  });
}

void client::act() {
  if (rests_)
    return;
  auto& luck = time_.luck();
  if (!is_open_)
    open();
  else if (habits_.stalls != 0 && luck.one_in(habits_.stalls))
    stall_one();
  else if (luck.one_in(habits_.deletes))
    end();
  else if (luck.one_in(habits_.trespasses))
    trespass();
  else if (luck.one_in(habits_.revisits))
    revisit();
  else if (luck.one_in(habits_.cancels))
    cancel();
  else if (luck.one_in(habits_.hangs_up))
    hang_up_one();
  else if (!is_listening_ && luck.one_in(habits_.listens))
    listen({}, {});
  else if (has_batches_ && luck.one_in(habits_.batches))
    make_batch();
  else
    make_call();
  plan(habits_.pause);
}

void client::open() {
  if (std::exchange(is_opening_, true))
    return;
  auto id = std::to_string(++last_id_);
  has_batches_ = time_.luck().one_in(habits_.with_batches);
  post(initialize_text(id, has_batches_), {id}, true);
}

/// Returns the id of a new call.
std::string client::begin_call() {
  auto id = std::to_string(++last_id_);
  calls_.emplace(id, call{name_ + "-" + id, {id}});
  log_.count("calls");
  return id;
}

void client::make_call() {
  auto id = begin_call();
  post(call_text(id, calls_.at(id).token), {id});
}

void client::make_batch() {
  request_ids ids;
  std::vector<std::string> texts;
  for (auto some = 1 + time_.luck().below(4); some > 0; --some) {
    ids.push_back(begin_call());
    texts.push_back(call_text(ids.back(), calls_.at(ids.back()).token));
  }
  for (auto& id : ids)
    calls_.at(id).batch = ids;
  log_.count("batches");
  post(batch_of(texts), std::move(ids));
}

void client::listen(std::string last, request_ids ids) {
  is_listening_ = is_listening_ || ids.empty();
  request what{.is = request::kind::listen, .owner = name_, .session = session_, .last = last};
  send(std::move(what),
       {.by = {}, .ids = std::move(ids), .listens = true, .session = session_, .last_event = std::move(last)});
}

void client::cancel() {
  if (calls_.empty())
    return;
  auto id = std::next(calls_.begin(), static_cast<std::ptrdiff_t>(time_.luck().below(calls_.size())))->first;
  fail(id, "cancelled");
  post(note_text("notifications/cancelled", R"({"requestId":)" + id + "}"), {});
}

/// A connection breaks; a stream is resumed.
void client::hang_up_one() {
  if (exchanges_.empty())
    return;
  auto at = std::next(exchanges_.begin(), static_cast<std::ptrdiff_t>(time_.luck().below(exchanges_.size())));
  at->second.by->hang_up();
  lose(at->first);
}

void client::stall_one() {
  if (exchanges_.empty())
    return;
  auto& luck = time_.luck();
  auto at = std::next(exchanges_.begin(), static_cast<std::ptrdiff_t>(luck.below(exchanges_.size())));
  std::weak_ptr by = at->second.by;
  at->second.by->stop_reading();
  stalled_.push_back(by);
  log_.count("connections that are not read");
  if (luck.one_in(4)) // until it rests
    return;
  time_.after(luck.between(100ms, 8s), [weak = weak_from_this(), by] {
    auto self = weak.lock();
    if (auto one = by.lock(); one && self)
      self->read_on(*one);
  });
}

void client::read_on(connection& one) {
  model_.bounded("what a client has not read", one.unread(), connection::most_unread);
  one.read_on();
}

void client::rest() {
  rests_ = true;
  for (auto& weak : std::exchange(stalled_, {}))
    if (auto one = weak.lock())
      read_on(*one);
}

void client::end() {
  send_delete(session_);
  forget_session("deletes");
}

void client::send_delete(const std::string& session) {
  request what{.is = request::kind::end, .owner = name_, .session = session};
  send(std::move(what), {.by = {}, .ids = {}, .is_delete = true, .session = session});
}

/// Uses the session of another client, which must not exist for this one.
void client::trespass() {
  if (auto session = other_session(); !session.empty())
    call_in_vain(session, rule::own_answers_only, " may use the session of another client");
}

void client::revisit() {
  if (!deleted_.empty())
    call_in_vain(deleted_, rule::stays_ended, " has an answer of a session that it has deleted");
}

void client::call_in_vain(const std::string& session, rule of, const std::string& why) {
  auto text = request_text("1", "ping", "{}");
  request what{.owner = name_, .session = session, .body = std::get<post_body>(read_body(std::move(text)))};
  auto by = std::make_shared<connection>(time_, [this, session, of, why](received& what) {
    auto has_result = what.text.find("\"result\"") != what.text.npos;
    if (has_result && !(of == rule::stays_ended && model_.may_have_forgotten(session)))
      log_.broken(of, name_ + why);
  });
  front_.send(std::move(what), by, std::nullopt);
}

/// The answers of a batch wait for each other, until a stream begins.
bool client::gets_answer(const call& one) const {
  auto is_stream = [&one](auto& each) { return each.second.is_stream && each.second.ids == one.batch; };
  if (std::ranges::any_of(exchanges_, is_stream))
    return model_.gets_answer(one.token);
  return std::ranges::all_of(one.batch, [this](auto& id) { return model_.gets_answer(name_ + "-" + id); });
}

std::vector<std::string> client::overdue_calls() const {
  std::vector<std::string> result;
  for (auto& [id, one] : calls_)
    if (gets_answer(one))
      result.push_back(one.token);
  return result;
}

std::vector<std::string> client::unended() const {
  std::vector<std::string> result;
  for (auto& one : unended_)
    if (!one.by->is_over() && !model_.is_on_a_node(one.session))
      result.push_back(one.what + " of " + shown(one.session));
  return result;
}

void client::leave() {
  for (auto& one : unended_)
    one.by->hang_up();
  for (auto& [number, one] : std::exchange(exchanges_, {})) {
    one.by->hang_up();
    for (auto& id : one.ids)
      fail(id, "given up");
  }
}

void client::probe(std::size_t host, std::function<void(int status)> told) {
  auto id = std::to_string(++last_id_);
  auto text = request_text(id, "ping", "{}");
  request what{.owner = name_, .session = session_, .body = std::get<post_body>(read_body(std::move(text)))};
  auto by = std::make_shared<connection>(time_, [told](received& what) { told(what.status); });
  front_.send(std::move(what), by, host);
}

// -- sending ---------------------------------------------------------------------------------

void client::post(std::string text, request_ids ids, bool begins) {
  exchange one{.by = {}, .ids = std::move(ids), .begins = begins, .session = session_};
  if (!begins && time_.luck().one_in(habits_.repeats))
    one.text = text;
  auto body = std::get<post_body>(read_body(std::move(text)));
  for (auto& token : call_tokens(body.messages))
    model_.is_posted(token);
  request what{.owner = name_, .session = begins ? "" : session_, .body = std::move(body)};
  send(std::move(what), std::move(one));
}

/// Repeats a refused POST, unless none of its calls waits any more.
void client::post_again(const exchange& one, span_of_time pause) {
  time_.after(pause + time_.luck().between({}, 500ms),
              [weak = weak_from_this(), text = one.text, ids = one.ids, session = one.session] {
                auto self = weak.lock();
                if (!self || self->session_ != session)
                  return;
                exchange again{.by = {}, .ids = ids, .text = text, .session = session};
                if (!ids.empty() && !self->waits(again))
                  return;
                self->log_.count("POSTs repeated after 503");
                auto body = std::get<post_body>(read_body(text));
                for (auto& token : call_tokens(body.messages))
                  self->model_.is_posted(token);
                self->send({.owner = self->name_, .session = session, .body = std::move(body)}, std::move(again));
              });
}

bool client::waits(const exchange& one) const {
  return std::ranges::any_of(one.ids, [this](auto& id) { return calls_.contains(id); });
}

/// A refused call has not run, and does not run later.
void client::note_refusal(const exchange& one) {
  for (auto& id : one.ids)
    model_.is_refused(name_ + "-" + id);
}

std::uint64_t client::send(request what, exchange one, std::optional<std::size_t> to) {
  auto number = ++last_exchange_;
  one.by = std::make_shared<connection>(time_, [weak = weak_from_this(), number](received& what) {
    if (auto self = weak.lock())
      self->receive(number, what);
  });
  auto by = one.by;
  exchanges_.emplace(number, std::move(one));
  front_.send(std::move(what), by, to);
  return number;
}

// -- receiving -------------------------------------------------------------------------------

void client::receive(std::uint64_t number, received& what) {
  using kind = received::kind;
  auto found = exchanges_.find(number);
  if (found == exchanges_.end())
    return;
  auto& of = found->second;
  switch (what.is) {
  case kind::answer:
    return receive_answer(number, of, what);
  case kind::begin:
    of.is_stream = true;
    return receive_events(of, what.text);
  case kind::events:
    return receive_events(of, what.text);
  case kind::end:
    receive_events(of, what.text);
    return lose(number);
  case kind::broken:
    return lose(number);
  }
}

void client::receive_answer(std::uint64_t number, exchange& of, received& what) {
  auto one = std::move(of);
  exchanges_.erase(number);
  log_.note(name_, "gets " + std::to_string(what.status),
            one.ids.empty() ? what.text : one.ids.front() + " " + what.text);
  log_.count("HTTP " + std::to_string(what.status));
  is_listening_ = is_listening_ && !(one.listens && one.ids.empty());
  if (one.begins)
    is_opening_ = false;
  if (one.is_delete && what.status == 204) {
    deleted_ = one.session;
    return model_.deleted(one.session);
  }
  if (one.is_delete && what.status == 503)
    return time_.after(time_.luck().between(500ms, 1500ms), [weak = weak_from_this(), session = one.session] {
      if (auto self = weak.lock(); self && !self->rests_)
        self->send_delete(session);
    });
  if (one.begins && what.status == 200 && !what.session.empty()) {
    is_open_ = true;
    session_ = what.session;
    model_.opened(session_);
    return post(note_text("notifications/initialized", "{}"), {});
  }
  if (one.begins)
    return;
  if (what.status == 200) {
    check_answer(one.ids, what.text);
    return receive_all(what.text);
  }
  if (what.status == 503 && !one.listens)
    note_refusal(one);
  if (what.status == 503 && !one.text.empty() && one.session == session_)
    return post_again(one, what.pause);
  for (auto& id : one.ids)
    fail(id, "refused");
  if (what.status != 404 || one.session != session_)
    return;
  model_.is_told_gone(one.session);
  forget_session("is gone");
}

/// The body of an exchange answers its own requests.
void client::check_answer(const request_ids& ids, const std::string& text) {
  for (auto& one : messages_in(text))
    if (std::ranges::find(ids, one.id) == ids.end())
      log_.broken(rule::own_answers_only, name_ + " gets an answer to another request: " + one.text);
}

void client::receive_events(exchange& of, const std::string& text) {
  for (auto& one : of.events.feed(text)) {
    if (one.id && of.session == session_)
      note_position(*one.id);
    receive_all(one.data);
  }
  if (auto id = of.events.last_event_id(); !id.empty())
    of.last_event = id;
}

/// Event ids are `<tag>-<stream>-<position>`.
void client::note_position(const std::string& id) {
  auto cut = id.rfind('-');
  auto position = read_number(std::string_view{id}.substr(cut + 1)).value_or(0);
  auto& last = positions_[id.substr(0, cut)];
  if (position <= last)
    log_.broken(rule::each_event_once, name_ + " gets " + id + " after position " + std::to_string(last));
  last = std::max<std::uint64_t>(last, position);
}

void client::receive_all(const std::string& text) {
  auto all = messages_in(text);
  if (all.empty())
    log_.broken(rule::own_answers_only, name_ + " cannot read " + text);
  for (auto& one : all)
    receive_message(one);
}

void client::receive_message(const message& what) {
  if (what.kind == message_kind::response)
    receive_answer(what);
  else if (is_request(what))
    receive_question(what);
  else
    receive_note(what);
}

void client::receive_answer(const message& what) {
  auto& text = what.text;
  auto found = calls_.find(what.id);
  if (found == calls_.end()) {
    if (done_.contains(what.id) && text.find(streams::lost_with_node) != text.npos)
      log_.count("calls of a batch with an answer that the store lacked, told as lost");
    else if (done_.contains(what.id))
      log_.broken(rule::one_answer_each, name_ + " gets another answer to " + what.id + ": " + text);
    return;
  }
  auto is_result = has_result(what);
  log_.count(is_result ? "results" : "errors");
  log_.note(name_, "is answered", text);
  if (!is_result && text.find(unanswered_requests::node_lost) != text.npos)
    model_.is_told_lost(found->second.token);
  if (is_result && text.find('"' + found->second.token + '"') == text.npos)
    log_.broken(rule::own_answers_only, name_ + " called " + found->second.token + " and gets " + text);
  if (is_result && text.find('"' + session_ + '"') == text.npos)
    log_.broken(rule::own_answers_only, name_ + " gets an answer of another session: " + text);
  calls_.erase(found);
  done_.insert(what.id);
}

void client::receive_note(const message& what) {
  auto number = string_param(what, "n");
  if (!number.empty() && !notes_.insert(number).second)
    log_.broken(rule::each_event_once, name_ + " gets notification " + number + " twice");
}

/// Answers at any node, after some time.
void client::receive_question(const message& what) {
  if (what.is_method("sampling/createMessage") && string_param(what, "session") != session_)
    log_.broken(rule::own_answers_only, name_ + " is asked for another session: " + what.text);
  auto& luck = time_.luck();
  auto times = luck.one_in(habits_.ignores) ? 0 : luck.one_in(habits_.answers_twice) ? 2 : 1;
  for (; times > 0; --times)
    time_.after(luck.between(1ms, 1s), [weak = weak_from_this(), session = session_,
                                        text = answer_text(what.id, string_param(what, "token"), session_)] {
      if (auto self = weak.lock(); self && self->session_ == session) {
        self->log_.count("questions answered");
        self->post(text, {});
      }
    });
}

/// A connection has ended before the answer. A stream whose events have ids is resumed.
void client::lose(std::uint64_t number) {
  auto node = exchanges_.extract(number);
  auto& one = node.mapped();
  if (one.listens && one.ids.empty())
    is_listening_ = false;
  if (one.begins)
    is_opening_ = false;
  auto can_resume = !one.last_event.empty() && one.session == session_ && is_open_ && !rests_;
  if (can_resume && (waits(one) || (one.listens && one.ids.empty())) && !time_.luck().one_in(10)) {
    time_.after(time_.luck().between(1ms, 500ms),
                [weak = weak_from_this(), last = one.last_event, ids = one.ids, session = session_] {
                  auto self = weak.lock();
                  if (self && self->is_open_ && self->session_ == session)
                    self->listen(last, ids);
                });
    return;
  }
  for (auto& id : one.ids)
    fail(id, "lost");
}

/// The client gives a call up.
void client::fail(const std::string& id, std::string_view how) {
  if (calls_.erase(id) == 0)
    return;
  log_.count(std::string{"calls "}.append(how));
  if (how == "refused")
    done_.insert(id);
}

void client::forget_session(std::string_view why) {
  log_.note(name_, std::string{why} + " " + shown(session_));
  is_open_ = is_listening_ = false;
  auto session = std::exchange(session_, {});
  if (!calls_.empty())
    log_.count("calls of ended sessions", calls_.size());
  calls_.clear();
  std::erase_if(unended_, [](auto& one) { return one.by->is_over(); });
  for (auto& [number, one] : exchanges_)
    if (!one.is_delete && time_.luck().one_in(2))
      unended_.push_back(
          {one.by, session, (one.listens ? "stream " : "call ") + (one.ids.empty() ? "" : one.ids.front())});
    else if (!one.is_delete)
      one.by->hang_up();
  std::erase_if(exchanges_, [](auto& one) { return !one.second.is_delete; });
  done_.clear();
  positions_.clear();
  notes_.clear();
}

} // namespace troupe::tests::simulation
