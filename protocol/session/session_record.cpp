#include "protocol/session/session_record.hpp"

#include "protocol/message/era.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

namespace troupe::protocol {

namespace {

/// Format of the text. A node treats a record of another format as unknown, such as while versions of us are mixed.
constexpr std::string_view current_format = "2";

std::optional<bool> flag_under(std::string_view object, std::string_view name) {
  auto token = find_member(object, {name});
  if (token != "true" && token != "false")
    return std::nullopt;
  return token == "true";
}

std::optional<std::uint64_t> life_under(std::string_view object) {
  auto token = find_member(object, {"life"});
  auto life = token ? read_number(*token) : std::nullopt;
  return life <= most_lives ? life : std::nullopt;
}

std::optional<std::string> initialize_under(std::string_view object) {
  auto token = find_member(object, {"initialize"});
  if (!token || token->size() > longest_kept_initialize)
    return std::nullopt;
  auto read = read_message(std::string{*token});
  auto request = std::get_if<message>(&read);
  if (!request || !is_request(*request) || !request->is_method("initialize"))
    return std::nullopt;
  return std::move(request->text);
}

std::optional<std::string> level_under(std::string_view object) {
  auto level = find_string(object, {"level"});
  return level && level->size() <= longest_kept_level ? level : std::nullopt;
}

std::optional<std::string> owner_under(std::string_view object) {
  auto owner = find_string(object, {"owner"});
  return owner && owner->size() <= longest_kept_owner ? owner : std::nullopt;
}

std::size_t written_size(const std::string& uri) { return quoted(uri).size(); }

std::optional<std::vector<std::string>> subscriptions_under(std::string_view object) {
  auto token = find_member(object, {"subscriptions"});
  if (!token || token->front() != '[')
    return std::nullopt;
  std::vector<std::string> result;
  std::size_t size = 0;
  for (array_reader uris{*token}; uris.next();) {
    auto uri = string_value(uris.value());
    if (!uri || uri->size() > longest_kept_uri || result.size() == most_kept_subscriptions)
      return std::nullopt;
    if ((size += written_size(*uri)) > most_kept_uris)
      return std::nullopt;
    result.push_back(std::move(*uri));
  }
  return result;
}

} // namespace

std::string record_text(const session_record& record) {
  return R"({"format":)" + std::string{current_format} + R"(,"path":)" + quoted(record.path) + R"(,"initialize":)" +
         record.initialize + R"(,"version":)" + quoted(record.version) + R"(,"initialized":)" +
         (record.initialized ? "true" : "false") + R"(,"level":)" + quoted(record.level) + R"(,"subscriptions":[)" +
         joined(record.subscriptions, ",", quoted) + R"(],"life":)" + std::to_string(record.life) + R"(,"owner":)" +
         quoted(record.owner) + "}";
}

std::optional<session_record> read_record(std::string_view text) {
  if (text.size() > longest_record || json_error(text) || find_member(text, {"format"}) != current_format)
    return std::nullopt;
  auto path = find_string(text, {"path"});
  auto initialize = initialize_under(text);
  auto version = find_string(text, {"version"});
  auto initialized = flag_under(text, "initialized");
  auto level = level_under(text);
  auto subscriptions = subscriptions_under(text);
  auto life = life_under(text);
  auto owner = owner_under(text);
  if (!path || !initialize || !version || !initialized || !level || !subscriptions || !life || !owner)
    return std::nullopt;
  if (!is_session_version(*version))
    return std::nullopt;
  return session_record{std::move(*path),
                        std::move(*initialize),
                        std::move(*version),
                        *initialized,
                        std::move(*level),
                        std::move(*subscriptions),
                        *life,
                        std::move(*owner)};
}

// -- record_keeper ------------------------------------------------------------------------

record_keeper::record_keeper(session_record record) : record_{std::move(record)} {
  for (auto& uri : record_.subscriptions)
    uris_ += written_size(uri);
}

bool record_keeper::begins(const message& initialize) {
  if (initialize.text.size() > longest_kept_initialize)
    return false;
  record_.initialize = initialize.text;
  return true;
}

std::optional<record_keeper::change_kind> record_keeper::change_kind_of(const message& request) {
  if (request.is_method("logging/setLevel"))
    return change_kind::level;
  if (request.is_method("resources/subscribe"))
    return change_kind::subscribe;
  if (request.is_method("resources/unsubscribe"))
    return change_kind::unsubscribe;
  return std::nullopt;
}

void record_keeper::asked(std::uint64_t own, const message& request) {
  auto what = change_kind_of(request);
  if (!what)
    return;
  auto value = find_string(request.text, {"params", *what == change_kind::level ? "level" : "uri"});
  if (!value)
    return;
  if (change one{*what, std::move(*value)}; is_kept(one))
    asked_.emplace(own, std::move(one));
}

/// False if a value is too long: it is not held even until the server answers.
bool record_keeper::is_kept(const change& one) {
  return one.value.size() <= (one.what == change_kind::level ? longest_kept_level : longest_kept_uri);
}

bool record_keeper::answered(std::uint64_t own, const message& answer) {
  auto node = asked_.extract(own);
  return !node.empty() && has_result(answer) && make(node.mapped());
}

bool record_keeper::make(const change& one) {
  switch (one.what) {
  case change_kind::level:
    return std::exchange(record_.level, one.value) != one.value;
  case change_kind::subscribe:
    return subscribe(one.value);
  case change_kind::unsubscribe:
    return unsubscribe(one.value);
  }
  return false;
}

bool record_keeper::subscribe(const std::string& uri) {
  auto& all = record_.subscriptions;
  auto size = written_size(uri);
  auto fits = all.size() < most_kept_subscriptions && uris_ + size <= most_kept_uris;
  if (!fits || std::find(all.begin(), all.end(), uri) != all.end())
    return false;
  uris_ += size;
  all.push_back(uri);
  return true;
}

bool record_keeper::unsubscribe(const std::string& uri) {
  auto is_known = std::erase(record_.subscriptions, uri) != 0;
  if (is_known)
    uris_ -= written_size(uri);
  return is_known;
}

record_schedule::record_schedule(std::optional<session_record> begins_as) {
  if (begins_as)
    keeper_ = std::make_unique<record_keeper>(std::move(*begins_as));
}

// -- changes -------------------------------------------------------------------------------

void record_schedule::begin_again(session_record from, std::uint32_t offset) {
  offset_ = offset;
  keeper_ = std::make_unique<record_keeper>(std::move(from));
  keeper_->restored();
}

void record_schedule::begin(const message& initialize) {
  if (keeper_ && !keeper_->begins(initialize))
    keeper_.reset();
}

void record_schedule::agreed(std::string_view version, time_point now, effects& out) {
  if (!keeper_)
    return;
  keeper_->agreed(std::string{version});
  write(now, out);
}

void record_schedule::client_initialized(time_point now, effects& out) {
  if (keeper_ && keeper_->initialized())
    write(now, out);
}

void record_schedule::asked(std::uint64_t own, const message& request) {
  if (keeper_)
    keeper_->asked(own, request);
}

void record_schedule::answered(std::uint64_t own, const message& answer, time_point now, effects& out) {
  if (keeper_ && keeper_->answered(own, answer))
    write_in_time(now, out);
}

void record_schedule::request_dropped(std::uint64_t own) {
  if (keeper_)
    keeper_->request_dropped(own);
}

// -- writes --------------------------------------------------------------------------------

void record_schedule::write(time_point now, effects& out) {
  auto text = record_text(keeper_->record());
  written_at_ = now;
  is_written_ = true;
  is_changed_ = false;
  pace_.spend(std::chrono::milliseconds{text.size() * 1000 / record_pace::bytes_a_second}, now);
  out.push_back(remember{std::move(text)});
}

void record_schedule::write_again(time_point now, effects& out) {
  if (keeper_ && !record().version.empty())
    write(now, out);
}

/// Writes the whole record, if the rate allows, however small the change.
void record_schedule::write_in_time(time_point now, effects& out) {
  is_changed_ = true;
  if (now + record_pace::ahead >= pace_.full_at())
    write(now, out);
}

/// The store forgets records that are not written for a session's idle time or longer.
void record_schedule::refresh(std::chrono::milliseconds age, time_point now, effects& out) {
  if (!is_written_)
    return;
  if (now >= written_at_ + age)
    write(now, out);
  else if (is_changed_)
    write_in_time(now, out);
}

void record_schedule::finish(time_point now, effects& out) {
  if (is_changed_)
    write(now, out);
}

time_point record_schedule::deadline(std::chrono::milliseconds idle) const {
  if (!is_written_)
    return time_point::max();
  auto due = written_at_ + record_age::silent(idle);
  return is_changed_ ? std::min(due, pace_.full_at() - record_pace::ahead) : due;
}

} // namespace troupe::protocol
