// SPDX-License-Identifier: Apache-2.0
//
// The functions of {fmt}, once for all files: the system has them as a shared library only, which neither the
// one static program nor a library in other people's programs can use, and as headers they would be compiled
// anew for each file.
#include <fmt/format-inl.h>

#include <locale>

// What format-inl.h leaves to whoever compiles it, as far as the linker misses it here.
FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
