// SPDX-License-Identifier: Apache-2.0
// Products and transforms of NVIDIA's libraries, which are loaded at run time: a machine may lack them.

#include <dlfcn.h>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

namespace {

void* library(const std::string& name) {
  for (const std::string& path : {name, "/usr/local/cuda/lib64/" + name}) {
    if (void* const handle = dlopen(path.c_str(), RTLD_NOW)) return handle;
  }
  skip(dlerror());
  return nullptr;
}

template <typename Function>
Function* function_of(void* handle, const char* name) {
  void* const function = dlsym(handle, name);
  if (function == nullptr) skip(name);
  return reinterpret_cast<Function*>(function);
}

void check_library(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: status %d\n", what, status);
  std::exit(1);
}

// From cublas_api.h and library_types.h of CUDA 13.
using CreateCublas = int(void**);
using Gemm = int(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                 const void*, void*, int, int, int, int);
constexpr int kDefaultAlgorithm = -1;

struct ProductType {
  const char* name;
  std::size_t bytes;  // of an element of A and B
  std::size_t sum_bytes;
  int type;
  int sum_type;
  int compute;
};
constexpr ProductType kTypes[] = {
    {"f64", 8, 8, 1, 1, 70}, {"f32", 4, 4, 0, 0, 68},    {"tf32", 4, 4, 0, 0, 77},
    {"f16", 2, 2, 2, 2, 68}, {"bf16", 2, 2, 14, 14, 68}, {"i8", 1, 4, 3, 10, 72},
};

/// C = A · B of matrices of zeros.
class Product {
 public:
  Product(const std::string& type, void* cublas, void* handle)
      : gemm_(function_of<Gemm>(cublas, "cublasGemmEx")), handle_(handle) {
    for (const ProductType& known : kTypes) {
      if (type == known.name) type_ = &known;
    }
    if (type_ == nullptr) std::exit(2);
    a_ = new_matrix(type_->bytes);
    b_ = new_matrix(type_->bytes);
    c_ = new_matrix(type_->sum_bytes);
  }

  void run() const {
    const void* one = &kOneF32;
    const void* zero = &kZeroF32;
    if (is_f64()) {
      one = &kOneF64;
      zero = &kZeroF64;
    } else if (is_integer()) {
      one = &kOneI32;
      zero = &kZeroI32;
    }
    // Products of integers need a transposed A.
    check_library(
        gemm_(handle_, is_integer() ? 1 : 0, 0, kSide, kSide, kSide, one, a_, type_->type, kSide, b_,
              type_->type, kSide, zero, c_, type_->sum_type, kSide, type_->compute, kDefaultAlgorithm),
        "cublasGemmEx");
  }

 private:
  static constexpr int kSide = 4096;
  static constexpr double kOneF64 = 1;
  static constexpr double kZeroF64 = 0;
  static constexpr float kOneF32 = 1;
  static constexpr float kZeroF32 = 0;
  static constexpr int kOneI32 = 1;
  static constexpr int kZeroI32 = 0;

  bool is_f64() const { return type_->sum_bytes == sizeof(double); }
  bool is_integer() const { return type_->bytes == 1; }

  static void* new_matrix(std::size_t element_bytes) {
    const std::size_t bytes = std::size_t{kSide} * kSide * element_bytes;
    void* matrix = nullptr;
    check(cudaMalloc(&matrix, bytes));
    check(cudaMemset(matrix, 0, bytes));
    return matrix;
  }

  Gemm* gemm_;
  void* handle_;
  const ProductType* type_ = nullptr;
  void* a_;
  void* b_;
  void* c_;
};

}  // namespace

/// Products of 4096 × 4096 matrices in the given types.
int products(const Arguments& types) {
  // There is a pass for each type of the Tensor Cores.
  const double seconds = kAllPassesS + 0.8 * static_cast<double>(types.size());
  void* const cublas = library("libcublas.so.13");
  void* handle = nullptr;
  check(cudaFree(nullptr));
  check_library(function_of<CreateCublas>(cublas, "cublasCreate_v2")(&handle), "cublasCreate");
  std::vector<Product> all;
  for (const std::string& type : types) all.emplace_back(type, cublas, handle);
  repeat_for(seconds, [&] {
    for (const Product& product : all) product.run();
  });
  return 0;
}

/// Batches of complex transforms of 4096 elements: 2^25 elements in all.
int transforms(const Arguments&) {
  using Plan = int(int*, int, int, int);
  using Execute = int(int, void*, void*, int);
  constexpr int kLength = 4096;
  constexpr int kBatch = 8192;
  constexpr int kComplexToComplex = 0x29;
  constexpr int kForward = -1;
  void* const cufft = library("libcufft.so.12");
  auto* const execute = function_of<Execute>(cufft, "cufftExecC2C");
  check(cudaFree(nullptr));
  int plan = 0;
  check_library(function_of<Plan>(cufft, "cufftPlan1d")(&plan, kLength, kComplexToComplex, kBatch),
                "cufftPlan1d");
  constexpr std::size_t kBytes = std::size_t{kLength} * kBatch * 8;
  void* from = nullptr;
  void* to = nullptr;
  check(cudaMalloc(&from, kBytes));
  check(cudaMalloc(&to, kBytes));
  check(cudaMemset(from, 0, kBytes));
  repeat_for(kAllPassesS, [&] { check_library(execute(plan, from, to, kForward), "cufftExecC2C"); });
  return 0;
}

}  // namespace profiled
