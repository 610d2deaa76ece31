// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Defines `name` for the binary that this is linked into: it is `name` of glibc `version`.
#define ROOFLINECTL_FORWARD(name, version)                                                          \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name          \
          ": jmp *old_" #name "@GOTPCREL(%rip)\n.size " #name ", . - " #name "\n.symver old_" #name \
          ", " #name "@" version)
