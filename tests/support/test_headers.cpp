// SPDX-License-Identifier: Apache-2.0
// A program without tests: its precompiled headers are those of the tests.
