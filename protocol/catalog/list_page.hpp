#pragma once

#include "protocol/catalog/list_cursors.hpp"
#include "protocol/message/cache_hints.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <optional>
#include <string_view>

namespace troupe::protocol {

// Pages of lists in requests and answers (2025-11-25, "Pagination").

/// True if the request is for the first page. Some clients write a `null` cursor for that.
bool asks_for_first_page(const message& request);
/// Returns the position that a client's request continues at; empty if its cursor is not of a merged list.
std::optional<merged_place> merged_cursor_of(const message& request, const cursor_seal& seal = {});
/// Returns the request with a server's cursor, a JSON string token, in place of its own; an empty one removes it.
message with_cursor(message request, std::string_view token);

/// True if the answer has a result that is an object; false for an empty text.
bool has_object_result(std::string_view answer);
/// Returns the raw `nextCursor` of an answer, a JSON token; empty if the list ends. `is_modern`: the answer is of
/// 2026-07-28.
std::string_view continuation_in(std::string_view answer, bool is_modern);
/// Returns the cursor of the next page, a JSON string token; empty if there is none, or it is no string.
std::string_view next_cursor(std::string_view answer, bool is_modern);

/// Returns the answer to the client: items, as elements of a JSON array, and the next position. `hints` are for clients
/// that read them.
message list_answer(std::string_view id, list_kind kind, std::string_view items, const merged_place& next,
                    const cursor_seal& seal = {}, const std::optional<cache_hints>& hints = {});

} // namespace troupe::protocol
