#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::bench {

/// Parses an HTTP answer as it arrives, with a length or in chunks.
class reply {
public:
  /// A buffer for the next bytes, with room for at least `least` of them.
  char* room(std::size_t least);
  std::size_t room_size() const { return bytes_.size() - size_; }
  /// Consumes that many bytes of the buffer. True once the answer is complete.
  bool wrote(std::size_t size);

  int status() const { return status_; }
  std::string_view header(std::string_view name) const;
  bool is_stream() const { return chunked_; }
  bool is_whole() const { return whole_; }
  /// The body so far, without chunk framing.
  std::string_view body() const;
  /// Discards the part of a stream that was read.
  void drop_body();
  /// Resets the parser for the next answer.
  void clear();

private:
  bool parse(std::size_t size);
  bool parse_head();
  bool parse_chunks();

  std::string bytes_; // only the first size_ bytes are received data
  std::size_t size_ = 0;
  std::size_t head_ = 0;     // length of the head; 0 until it is complete
  std::size_t length_ = 0;   // length of the body
  std::size_t unframed_ = 0; // where the next chunk, or its rest, begins
  std::size_t chunk_rest_ = 0;
  int status_ = 0;
  bool chunked_ = false;
  bool whole_ = false;
  std::string chunks_;
};

} // namespace troupe::bench
