// SPDX-License-Identifier: Apache-2.0
#include "core/text/kernel_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/text/printable.h"

namespace rooflinectl::kernel_name_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kLongest = 60;

/// Names as programs have them, with their short names.
std::vector<std::pair<std::string, std::string>> real_names() {
  std::ifstream file(ROOFLINECTL_SOURCE_FOLDER "/tests/unit/data/kernel_names.txt");
  std::vector<std::pair<std::string, std::string>> names;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("    ")) {
      names.back().second = line.substr(4);
    } else if (!line.empty() && line[0] != '#') {
      names.emplace_back(line, "");
    }
  }
  return names;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// That `name`, whatever it is, has a short name that can be shown.
void expect_showable(const std::string& name) {
  const std::string demangled = demangle(name);
  const std::string short_name = short_kernel_name(demangled);
  EXPECT_EQ(printable(short_name), short_name) << printable(name);
  EXPECT_LE(decode_utf8(short_name).size(), kLongest) << printable(name);
  EXPECT_EQ(short_name.empty(), name.empty()) << printable(name);
}

TEST(KernelName, TellsWhetherALibraryHasTheSource) {
  for (const char* name : {
           "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
           "sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize128x64x16_stage3",
           "void "
           "cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(cutlass_80_simt_sgemm::Params)",
           "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false, false, "
           "cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<float const>, float> >(float)",
           "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1",
           "void cudnn::fusion::compute_dot_do_o_specialized<true, 64>(void const*)",
           "void cub::CUB_300001_SM_900::detail::reduce::DeviceReduceKernel<float>(float*)",
           "void at_cuda_detail::cub::detail::scan::DeviceScanKernel<long>(long*)",
           "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float>(float*)",
           "void (anonymous namespace)::elementwise_kernel_with_index<int, "
           "at::native::arange_cuda_out(c10::Scalar "
           "const&)::{lambda(long)#1}>(int)",
           "void regular_fft_factor<256u, EPT<16u>, 8u>(float)",
           "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "cupy_absolute__complex64_float32",
       }) {
    EXPECT_TRUE(is_library_kernel(name)) << name;
  }
  for (const char* name : {
           "(anonymous namespace)::naive_block_sum(float const*, unsigned long, float*)",
           "void reduce_v3_sequential<float, 256>(float const*, float*, unsigned long)",
           "void mine::attention<cutlass::half_t>(cutlass::half_t*)",
           "triton_poi_fused_add_0",
           "saxpy",
           "",
       }) {
    EXPECT_FALSE(is_library_kernel(name)) << name;
  }
}

TEST(KernelName, TellsWhatACompilerMade) {
  EXPECT_TRUE(is_generated_kernel("triton_poi_fused_add_0", ""));
  EXPECT_TRUE(is_generated_kernel("loop_add_fusion_11", "XlaModule:#hlo_module=jit_step#/CUDA graph"));
  EXPECT_FALSE(is_generated_kernel("loop_add_fusion_11", "step"));
  EXPECT_FALSE(
      is_generated_kernel("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", "XlaModule:#hlo_module=a#"));
  EXPECT_FALSE(is_generated_kernel("triton_matmul", ""));
}

TEST(KernelName, RealNamesStillTell) {
  const auto names = real_names();
  ASSERT_GE(names.size(), 250u);
  for (const auto& [name, expected] : names) {
    EXPECT_EQ(short_kernel_name(demangle(name)), expected) << name;
    expect_showable(name);
  }
}

TEST(KernelName, NamesOfARunAreDistinct) {
  std::vector<std::string> names;
  std::set<std::string> different;
  for (const auto& [name, expected] : real_names()) {
    names.push_back(demangle(name));
    different.insert(names.back());
  }
  const std::vector<std::string> short_names = distinct_short_names(names);
  ASSERT_EQ(short_names.size(), names.size());
  EXPECT_EQ(std::set<std::string>(short_names.begin(), short_names.end()).size(), different.size());
  for (const std::string& name : short_names) EXPECT_LE(decode_utf8(name).size(), kLongest) << name;
}

TEST(KernelName, WhatTellsTwoApartIsAdded) {
  EXPECT_THAT(distinct_short_names({"void mine::step<float>(float*)", "void mine::step<double>(double*)"}),
              ElementsAre("mine::step<f32>", "mine::step<f64>"));
  // The same name is the same kernel.
  EXPECT_THAT(distinct_short_names({"step(int)", "step(int)"}), ElementsAre("step", "step"));
  // Template arguments that are not shown.
  EXPECT_THAT(distinct_short_names({"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                                    "at::native::MaxOps<float> > >(int)",
                                    "void at::native::reduce_kernel<128, 1, at::native::ReduceOp<float, "
                                    "at::native::MaxOps<float> > >(int)"}),
              ElementsAre("reduce<max, f32> [512]", "reduce<max, f32> [128]"));
  EXPECT_THAT(
      distinct_short_names(
          {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)",
           "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float> >(int)"}),
      ElementsAre("elementwise<add, f32> [vectorized]", "elementwise<add, f32> [unrolled]"));
  // Parameters, namespaces.
  EXPECT_THAT(distinct_short_names({"step(int)", "step(float)", "at::step(int)"}),
              ElementsAre("step", "step [f32]", "step [at]"));
  // The same words in another order, and in two that differ from a third.
  EXPECT_THAT(distinct_short_names({"void k<A<1>, Params<2> >(int)", "void k<A<1>, Params<2> >(int*)"}),
              ElementsAre("k<A>", "k<A> #2"));
  // Long generated names: the word that was cut out.
  const std::string adds = repeated("_add_mul", 5);
  const std::vector<std::string> cut = distinct_short_names(
      {"triton_red_fused" + adds + "_sum" + adds + "_0", "triton_red_fused" + adds + "_max" + adds + "_0"});
  EXPECT_THAT(cut, ElementsAre(HasSubstr(" [sum]"), HasSubstr(" [max]")));
}

TEST(KernelName, ANumberIsNeverTakenTwice) {
  // What looks like the tool's own numbering.
  const std::vector<std::string> names = distinct_short_names({"a(int) const", "a(int)", "a #2", "a(int) &"});
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 4u);
}

TEST(KernelName, OperationsOfLibrariesComeFirst) {
  EXPECT_EQ(short_kernel_name(
                "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
                "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float "
                "const*, double, bool>(int)"),
            "multi_tensor_apply<FusedAdam, f32>");
  EXPECT_EQ(
      short_kernel_name(
          "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<96, "
          "64, 128, 8, 2, 4, 4, true, false, cutlass::half_t, Flash_kernel_traits<96, 64, 128, 8, "
          "cutlass::half_t> >, false, true, false, false, false, true, false>(int)"),
      "flash_bwd_dq_dk_dv_loop_seqk_parallel<f16, hdim 96, causal>");
  EXPECT_EQ(short_kernel_name("void reduce_v3_sequential<float, 256>(float const*, float*, unsigned long)"),
            "reduce_v3_sequential<f32, 256>");
  EXPECT_EQ(short_kernel_name("reduce_v3_sequential(float const*, float*, unsigned long)"),
            "reduce_v3_sequential");
}

TEST(KernelName, GeneratedNamesPass) {
  for (const char* name :
       {"triton_poi_fused_add_0", "nvjet_tst_128x64_64x8_2x1_v_bz_TNT", "loop_add_fusion",
        "input_reduce_fusion_1", "cupy_add__float32_float32", "_Z", "_Z9", "k", "my_kernel"}) {
    EXPECT_EQ(demangle(name), name);
    EXPECT_EQ(short_kernel_name(name), name);
  }
}

TEST(KernelName, LongManglingsAreRead) {
  // Over 1,024 characters, where the demangler of the C++ library ends.
  const std::string mangled = "_Z6kernelI" + repeated("N6nested4typeE", 200) + "EvT_";
  EXPECT_THAT(demangle(mangled), HasSubstr("void kernel<nested::type, nested::type"));
}

TEST(KernelName, ExtremeNamesTakeNoTime) {
  // Each level holds the one before twice: 2^60 characters in 700.
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string doubling = "_Z1f1AIiiE";
  std::string last = "S0_";
  for (std::size_t level = 1; level <= 60; ++level) {
    doubling.append("1BI").append(last).append(last).append("E");
    const std::size_t candidate = 2 * level;
    last = "S";
    if (candidate >= kDigits.size()) last += kDigits[candidate / kDigits.size()];
    last += kDigits[candidate % kDigits.size()];
    last += '_';
  }
  const std::vector<std::string> names = {
      doubling,
      "_Z1f" + repeated("P", 10000) + "i",
      "_Z1f" + repeated("1AI", 3000) + "i" + repeated("E", 3000),
      "_Z1fI" + repeated("N1A", 3000),
      repeated("_Z", 5000),
      repeated("<", 10000),
      repeated("(", 10000),
      repeated("{lambda(", 2000),
      repeated(")>]}", 2500),
      "k" + repeated("<a::b", 2000) + repeated(">", 2000),
      "void at::native::k" + repeated("<at::native::BinaryFunctor<float, ", 500) + repeated(">", 1000) +
          "(int)",
      "void k<" + repeated("float, ", 2000) + "int>(int)",
      repeated("a::", 4000) + "k<int>(int)",
      repeated("operator<", 1000),
      repeated("std::vector<int> ", 1000),
      repeated("é", 5000),
  };
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& name : names) expect_showable(name);
  EXPECT_EQ(distinct_short_names(names).size(), names.size());
  // Milliseconds; what grows with the square or faster takes minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(KernelName, MarkupAndControlCharactersAreHarmless) {
  EXPECT_EQ(short_kernel_name("k\x1b[31m\n"), "k?[31m ");
  EXPECT_THAT(short_kernel_name("<script>alert(1)</script>"), AllOf(HasSubstr("script")));
  for (const char* name : {"",
                           " ",
                           "<",
                           ">",
                           "(",
                           ")",
                           "::",
                           "<>",
                           "()",
                           "a<",
                           "a(",
                           "a::",
                           "{lambda()#1}",
                           "'",
                           "''",
                           "operator()",
                           "<unnamed>",
                           "(anonymous namespace)",
                           "(int)4",
                           "[clone .kd]",
                           "&()",
                           "&(",
                           "void ",
                           "void <>()",
                           "\xff\xfe",
                           "a<\xc3>(\x80)"}) {
    expect_showable(name);
  }
  expect_showable(std::string("_Z1f\0i", 6));
}

TEST(KernelName, RandomNamesAreHarmless) {
  std::mt19937 random(1);
  const auto names = real_names();
  const std::vector<std::string> pieces = {
      "<", ">", "(",  ")",    "::",       ",",  " ",      "{lambda(", "#1}",     "_Z",    "N",
      "I", "E", "S_", "T_",   "4",        "at", "float",  "operator", "*",       "const", "[",
      "]", "'", "\n", "\x1b", "\xe2\x80", "=",  "tuple<", "Functor<", "Kernel<", "cub::"};
  const auto below = [&random](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  std::vector<std::string> all;
  for (int i = 0; i < 4000; ++i) {
    std::string name;
    if (i % 2 == 0) {
      name = names[below(names.size())].first;
      for (std::size_t edits = 1 + below(8); edits > 0 && !name.empty(); --edits) {
        const std::size_t at = below(name.size());
        const std::size_t length = below(20);
        name.replace(at, below(2) == 0 ? 0 : length, pieces[below(pieces.size())]);
      }
    } else {
      for (std::size_t length = 1 + below(60); length > 0; --length) name += pieces[below(pieces.size())];
    }
    expect_showable(name);
    all.push_back(demangle(name));
  }
  const std::vector<std::string> short_names = distinct_short_names(all);
  const std::set<std::string> shown(short_names.begin(), short_names.end());
  EXPECT_EQ(shown.size(), std::set<std::string>(all.begin(), all.end()).size());
}

}  // namespace
}  // namespace rooflinectl::kernel_name_test
