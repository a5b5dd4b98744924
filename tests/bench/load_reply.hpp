#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::bench {

/// One HTTP answer as it arrives. Knows just enough of HTTP for answers of a length or in chunks.
class reply {
public:
  /// Where the next bytes may be written: room for at least `least` of them, more when there is.
  char* room(std::size_t least);
  std::size_t room_size() const { return bytes_.size() - size_; }
  /// So many have been written there. True once the answer is whole.
  bool wrote(std::size_t size);

  int status() const { return status_; }
  std::string_view header(std::string_view name) const;
  bool is_stream() const { return chunked_; }
  bool is_whole() const { return whole_; }
  /// So far, without the framing of chunks.
  std::string_view body() const;
  /// What a stream has brought up to here has been seen.
  void drop_body();
  /// The next answer begins.
  void clear();

private:
  bool take(std::size_t size);
  bool take_head();
  bool take_chunks();

  std::string bytes_; // what was received is its first size_ bytes
  std::size_t size_ = 0;
  std::size_t head_ = 0;     // the head's length; 0 until it is whole
  std::size_t length_ = 0;   // of the body
  std::size_t unframed_ = 0; // where the next chunk, or its rest, begins
  std::size_t chunk_rest_ = 0;
  int status_ = 0;
  bool chunked_ = false;
  bool whole_ = false;
  std::string chunks_;
};

} // namespace troupe::bench
