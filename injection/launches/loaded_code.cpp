// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/loaded_code.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/machine_code/machine_code.h"

namespace rooflinectl::injection {
namespace {

/// Cubins are aligned to it.
constexpr std::size_t kLengthStep = 16;

std::uint64_t digest_of(std::string_view symbol) {
  Digest digest;
  digest.add(symbol);
  return digest.value();
}

}  // namespace

void LoadedCode::add(std::string_view file) {
  const auto cubin = read_cubin(file);
  if (!cubin) return;
  const std::vector<FunctionCode> functions = function_code(*cubin);
  if (cubin->has_lines && keeps_lines_) keep(file);
  const std::lock_guard lock(mutex_);
  for (const FunctionCode& function : functions) {
    const std::uint64_t symbol = digest_of(function.symbol);
    if (of_symbol_.size() == kMostFunctions && !of_symbol_.contains(symbol)) return;
    KnownCode& known = of_symbol_[symbol];
    known.has_half_arithmetic |= function.has_half_arithmetic;
    std::vector<TensorInstruction>& kinds = known.tensor_instructions;
    for (const TensorInstruction& kind : function.tensor_instructions) {
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
    }
  }
}

void LoadedCode::keep(std::string_view cubin) {
  const std::uint64_t digest = code_digest(cubin);
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = cubin.size() + kLengthStep * with_lines_.size();
  if (with_lines_.contains(digest) || bytes > kMostCopiedBytes - copied_bytes_) return;
  auto copy = std::make_shared<std::string>(cubin);
  copy->resize(bytes);
  with_lines_.emplace(digest, std::move(copy));
  copied_bytes_ += bytes;
}

std::map<std::uint64_t, std::shared_ptr<const std::string>> LoadedCode::with_lines() {
  const std::lock_guard lock(mutex_);
  return with_lines_;
}

std::optional<KnownCode> LoadedCode::of(std::string_view symbol) {
  const std::lock_guard lock(mutex_);
  const auto found = of_symbol_.find(digest_of(symbol));
  return found == of_symbol_.end() ? std::nullopt : std::optional(found->second);
}

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 10;
constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15;

/// What nvcc registers: the fatbinary is where `data` points to.
struct FatbinaryWrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
  const void* names;
};
constexpr std::uint32_t kWrapperMagic = 0x466243b1;

/// How a fatbinary begins.
struct FatbinaryHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t content_bytes;
};
constexpr std::uint32_t kFatbinaryMagic = 0xba55ed50;

template <typename T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// From the headers, which a file has no length beside.
std::size_t elf_bytes(const char* image) {
  const auto header = read<Elf64_Ehdr>(image);
  std::uint64_t end = std::max(header.e_shoff + std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr),
                               header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(image + header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

std::uint64_t digest_of(const char* bytes, std::size_t size) {
  Digest digest;
  digest.add({bytes, std::min(size, kMostBytes)});
  digest.add(std::to_string(size));
  return digest.value();
}

bool is_ptx(std::string_view beginning) {
  const std::size_t begin = beginning.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  beginning.remove_prefix(begin);
  return beginning.starts_with("//") || beginning.starts_with("/*") || beginning.starts_with(".version");
}

}  // namespace

std::uint64_t code_digest(std::string_view cubin) {
  std::uint64_t digest = cubin.size();
  std::size_t at = 0;
  for (; at + sizeof digest <= cubin.size(); at += sizeof digest)
    digest = std::rotl((digest ^ read<std::uint64_t>(cubin.data() + at)) * kPrime, 29);
  std::uint64_t rest = 0;
  if (at < cubin.size()) std::memcpy(&rest, cubin.data() + at, cubin.size() - at);
  return std::rotl((digest ^ rest) * kPrime, 29);
}

std::optional<std::uint64_t> image_digest(const void* image) {
  if (image == nullptr) return std::nullopt;
  auto magic = read<std::uint32_t>(image);
  if (magic == kWrapperMagic) {
    image = read<FatbinaryWrapper>(image).data;
    if (image == nullptr) return std::nullopt;
    magic = read<std::uint32_t>(image);
  }
  const auto* const bytes = static_cast<const char*>(image);
  if (magic == kFatbinaryMagic) {
    const auto header = read<FatbinaryHeader>(image);
    return digest_of(bytes, header.header_bytes + header.content_bytes);
  }
  if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) {
    return bytes[EI_CLASS] == ELFCLASS64 ? std::optional(digest_of(bytes, elf_bytes(bytes))) : std::nullopt;
  }
  constexpr std::size_t kBeginning = 64;
  const std::size_t readable = strnlen(bytes, kMostBytes);
  if (!is_ptx({bytes, std::min(readable, kBeginning)})) return std::nullopt;
  return digest_of(bytes, readable);
}

}  // namespace rooflinectl::injection
