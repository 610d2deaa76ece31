# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: puts nvcc on the PATH where a CUDA 13 toolkit is installed, and sets `preset` to what this
# machine can build and `options` to the configure options for its GPU and its libraries.
for folder in ${CUDA_HOME:+"$CUDA_HOME/bin"} /usr/local/cuda-13*/bin /usr/local/cuda/bin; do
  if ! command -v nvcc >/dev/null && [ -x "$folder/nvcc" ]; then PATH="$folder:$PATH"; fi
done

preset=cpu
options=()
if ! command -v nvcc >/dev/null; then
  echo "No CUDA toolkit here: everything except the measuring part is built (preset cpu)."
elif ! nvcc --version | grep -q 'release 1[3-9]'; then
  echo "$(command -v nvcc) is older than CUDA 13: everything except the measuring part is built (preset cpu)."
else
  preset=dev
  # That preset is for Hopper; any other GPU that is here gets kernels of its own.
  if nvidia-smi --list-gpus >/dev/null 2>&1; then options=(-DCMAKE_CUDA_ARCHITECTURES=native); fi
fi
if ! [ -f "$(c++ -print-file-name=libcairo.a)" ]; then
  echo "There is no libcairo.a here: rooflinectl is linked with shared libraries, and runs only where these are."
  options+=(-DROOFLINECTL_STATIC=OFF)
fi
