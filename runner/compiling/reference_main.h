// SPDX-License-Identifier: Apache-2.0
// What a reference in C++ is compiled with, as a program: it fills the arguments, calls the user's function
// once, and stores its results as .npy files. Usage: PROGRAM VALUE... FILE...: a value for each argument and
// axis, then a file for each result. C++17, and nothing but the standard library: it stands before the user's
// file. Without <algorithm> and <memory>, it compiles in three quarters of the time.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace rooflinectl_reference {

// ---- values ----

// The types of a description.
using f64 = double;
using f32 = float;
using i64 = long long;
using i32 = int;
using i16 = short;
using i8 = signed char;
using u64 = unsigned long long;
using u32 = unsigned;
using u16 = unsigned short;
using u8 = unsigned char;
/// The bits of a half, which C++ does not have.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
template <class T>
constexpr bool kIsFloating = std::is_floating_point_v<T> || kIsHalf<T>;

/// In C++; of halves the next wider one.
template <class T>
using Native = std::conditional_t<kIsHalf<T>, float, T>;

/// To the nearest value with `digits` binary digits, of which the last is worth 2^least at least; ties to
/// even.
inline double rounded(double value, int digits, int least, double most) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = exponent - digits < least ? least : exponent - digits;
  const double nearest = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::fabs(nearest) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : nearest;
}

/// Of a value that the type has.
inline f16 f16_of(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return {0x7E00};
  if (std::isinf(value)) return {static_cast<std::uint16_t>(sign | 0x7C00)};
  int exponent = 0;
  const double magnitude = std::fabs(value);
  std::frexp(magnitude, &exponent);
  if (exponent < -13 || magnitude == 0)
    return {static_cast<std::uint16_t>(sign | static_cast<int>(std::ldexp(magnitude, 24)))};  // subnormal
  return {static_cast<std::uint16_t>(sign | ((exponent + 14) << 10) |
                                     (static_cast<int>(std::ldexp(magnitude, 11 - exponent)) & 0x3FF))};
}

inline bf16 bf16_of(double value) {
  const float wide = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &wide, sizeof bits);
  return {static_cast<std::uint16_t>(bits >> 16)};
}

inline float wide_value(bf16 half) {
  const std::uint32_t wide = std::uint32_t{half.bits} << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// Integers that are too large or negative for their type wrap round.
template <class T>
T converted(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return value < 0 ? static_cast<T>(static_cast<std::int64_t>(value))
                     : static_cast<T>(static_cast<std::uint64_t>(value));
  }
}

// ---- data: those of collector/file_kernels/argument_memory.h ----

struct Fill {
  std::size_t count = 1;
  std::string kind = "value";
  double value = 0;
  std::uint64_t seed = 0;
};

/// The element at `position`, as the described type has it.
template <class T>
double element(const Fill& fill, std::uint64_t position) {
  const auto of_type = [](double value) {
    if constexpr (std::is_same_v<T, f16>)
      return rounded(value, 11, -24, 65504);
    else if constexpr (std::is_same_v<T, bf16>)
      return rounded(value, 8, -133, 3.3895313892515355e38);
    else
      return static_cast<double>(converted<T>(value));
  };
  if (fill.kind == "value") return of_type(fill.value);
  if (fill.kind == "index") return of_type(static_cast<double>(position));
  std::uint64_t random = position + fill.seed * 0xd1342543de82ef95u;
  random = (random + 1) * 0x9e3779b97f4a7c15u;
  random = (random ^ (random >> 30)) * 0xbf58476d1ce4e5b9u;
  random = (random ^ (random >> 27)) * 0x94d049bb133111ebu;
  random ^= random >> 31;
  if (fill.kind == "integers") {
    const auto from_0_to_14 = static_cast<double>(((random >> 32) * 15) >> 32);
    return std::is_unsigned_v<T> ? from_0_to_14 : from_0_to_14 - 7;
  }
  constexpr int kBits = std::is_same_v<T, f64>    ? 53
                        : std::is_same_v<T, f16>  ? 11
                        : std::is_same_v<T, bf16> ? 8
                                                  : 24;
  return static_cast<double>(random >> (64 - kBits)) / static_cast<double>(std::uint64_t{1} << kBits);
}

// ---- memory ----

enum class Elements { none, floating, signed_integers, unsigned_integers, as_described };

/// What the function gets as one argument.
struct Buffer {
  Fill fill;
  bool is_read = false;
  Elements elements = Elements::none;  ///< none before the function has asked for it
  std::size_t element_bytes = 0;
  std::vector<unsigned char> storage;
  unsigned char* data = nullptr;  ///< in the storage
};

/// Converts to a pointer, or a span, of whatever type the function takes: numbers are converted, what is no
/// number gets the bytes of the described type.
template <class Described>
class Memory {
 public:
  explicit Memory(Buffer& buffer) : buffer_(&buffer) {}

  template <class T>
  operator T*() const {
    return static_cast<T*>(data<std::remove_cv_t<T>>());
  }
#if __cplusplus >= 202002L
  template <class T>
  operator std::span<T>() const {
    return {static_cast<T*>(data<std::remove_cv_t<T>>()),
            buffer_->fill.count * sizeof(Described) / described_bytes<std::remove_cv_t<T>>()};
  }
#endif

 private:
  template <class T>
  static constexpr bool is_number =
      std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double>;

  /// Of the described type in an element of `T`.
  template <class T>
  static constexpr std::size_t described_bytes() {
    if constexpr (is_number<T>)
      return sizeof(Described);
    else
      return sizeof(T);
  }

  template <class T>
  void* data() const {
    if constexpr (is_number<T>) {
      static_assert(std::is_floating_point_v<T> || !kIsFloating<Described>,
                    "memory of numbers with a fraction is passed as integers");
      constexpr Elements kElements = std::is_floating_point_v<T> ? Elements::floating
                                     : std::is_signed_v<T>       ? Elements::signed_integers
                                                                 : Elements::unsigned_integers;
      if (!begin(kElements, sizeof(T))) return buffer_->data;
      T* const elements = reinterpret_cast<T*>(buffer_->data);
      for (std::size_t i = 0; buffer_->is_read && i < buffer_->fill.count; ++i)
        elements[i] = converted<T>(element<Described>(buffer_->fill, i));
    } else {
      if constexpr (!std::is_void_v<T>) {
        static_assert(
            std::is_trivially_copyable_v<T> && (sizeof(T) == 1 || sizeof(T) % sizeof(Described) == 0),
            "memory is passed as a type that consists of no such elements");
      }
      if (!begin(Elements::as_described, sizeof(Described))) return buffer_->data;
      for (std::size_t i = 0; buffer_->is_read && i < buffer_->fill.count; ++i)
        store(i, element<Described>(buffer_->fill, i));
    }
    return buffer_->data;
  }

  void store(std::size_t i, double value) const {
    Described* const elements = reinterpret_cast<Described*>(buffer_->data);
    if constexpr (std::is_same_v<Described, f16>)
      elements[i] = f16_of(value);
    else if constexpr (std::is_same_v<Described, bf16>)
      elements[i] = bf16_of(value);
    else
      elements[i] = converted<Described>(value);
  }

  /// Whether it must be filled: it is new. Every bit of what is not read is set.
  bool begin(Elements elements, std::size_t element_bytes) const {
    if (buffer_->elements == elements && buffer_->element_bytes == element_bytes) return false;
    if (buffer_->elements != Elements::none)
      throw std::logic_error("the function takes an argument twice, as different types");
    constexpr std::size_t kAlignment = 256;
    buffer_->storage.assign(buffer_->fill.count * element_bytes + kAlignment, 0xFF);
    buffer_->data = buffer_->storage.data();
    buffer_->data += kAlignment - reinterpret_cast<std::uintptr_t>(buffer_->data) % kAlignment;
    buffer_->elements = elements;
    buffer_->element_bytes = element_bytes;
    return true;
  }

  Buffer* buffer_;
};

// ---- the program ----

/// The values of its command line.
class Values {
 public:
  Values(int count, char** texts) : texts_(texts, texts + count) {}

  const std::string& next() {
    if (place_ == texts_.size()) throw std::logic_error("a value is missing");
    return texts_[place_++];
  }
  template <class T>
  T scalar() {
    return converted<T>(std::strtod(next().c_str(), nullptr));
  }
  long long integer() { return std::strtoll(next().c_str(), nullptr, 10); }

  /// `1024 uniform 0 7`: count, fill, value and seed.
  Buffer buffer(bool is_read) {
    char kind[16] = "";
    Buffer buffer;
    unsigned long long count = 0;
    unsigned long long seed = 0;
    if (std::sscanf(next().c_str(), "%llu %15s %lf %llu", &count, kind, &buffer.fill.value, &seed) != 4)
      throw std::logic_error("a value is no argument");
    buffer.fill.count = count;
    buffer.fill.kind = kind;
    buffer.fill.seed = seed;
    buffer.is_read = is_read;
    return buffer;
  }

 private:
  std::vector<std::string> texts_;
  std::size_t place_ = 0;
};

inline void write_npy(const std::string& path, const char* kind, std::size_t element_bytes, const void* data,
                      std::size_t count) {
  std::string header = "{'descr': '<" + std::string(kind) + std::to_string(element_bytes) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.resize((10 + header.size()) / 64 * 64 + 53, ' ');
  header += '\n';
  std::string begin = "\x93NUMPY";
  begin += '\1';
  begin += '\0';
  begin += static_cast<char>(header.size() & 0xFF);
  begin += static_cast<char>(header.size() >> 8);
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  const bool is_written = file != nullptr &&
                          std::fwrite(begin.data(), 1, begin.size(), file) == begin.size() &&
                          std::fwrite(header.data(), 1, header.size(), file) == header.size() &&
                          std::fwrite(data, element_bytes, count, file) == count;
  if (file == nullptr || std::fclose(file) != 0 || !is_written)
    throw std::runtime_error(path + ": cannot be written");
}

/// Stores what the function left in the memory of a result.
template <class Described>
void store_result(const Buffer& buffer, const std::string& path) {
  const std::size_t count = buffer.fill.count;
  if (buffer.elements == Elements::none)
    throw std::logic_error("the function takes the memory of a result as no pointer");
  const bool are_described = buffer.elements == Elements::as_described;
  if (std::is_same_v<Described, bf16> && are_described) {  // which NumPy does not have
    const bf16* const halves = reinterpret_cast<const bf16*>(buffer.data);
    std::vector<float> wide(count);
    for (std::size_t i = 0; i < count; ++i) wide[i] = wide_value(halves[i]);
    write_npy(path, "f", sizeof(float), wide.data(), count);
    return;
  }
  const bool are_floating = are_described ? kIsFloating<Described> : buffer.elements == Elements::floating;
  const bool are_unsigned =
      are_described ? std::is_unsigned_v<Described> : buffer.elements == Elements::unsigned_integers;
  write_npy(path, are_floating ? "f" : are_unsigned ? "u" : "i", buffer.element_bytes, buffer.data, count);
}

template <class Function>
int run(int argc, char** argv, Function function) {
  try {
    Values values(argc - 1, argv + 1);
    function(values);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "an exception of another type\n");
  }
  return 1;
}

}  // namespace rooflinectl_reference
