// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "runner/processes/processes.h"

namespace rooflinectl::guest_program_test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

GuestProgram shell(const std::string& script) {
  return {.command = {"sh", "-c", script}, .environment = {}, .folder = std::nullopt};
}

GuestEnd run(const GuestProgram& program) {
  return run_guest(program, 30s, [] {});
}

/// What `run` reports for a program that cannot be started.
std::string failure_of(const GuestProgram& program) {
  try {
    run(program);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "it was started";
}

class GuestProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("guest." + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name, const std::string& content, fs::perms perms) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << content;
    fs::permissions(path, perms);
    return path;
  }
  std::string content(const std::string& name) const {
    std::ifstream stream(folder_ / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  fs::path folder_;
};

TEST_F(GuestProgramTest, EndsWithItsExitCode) {
  EXPECT_EQ(run(shell("exit 0")).exit_code(), 0);
  EXPECT_EQ(run(shell("exit 7")).exit_code(), 7);
}

TEST_F(GuestProgramTest, AfterASignalItsCodeIsThatOfAShell) {
  EXPECT_EQ(run(shell("kill -SEGV $$")).exit_code(), 128 + SIGSEGV);
  EXPECT_EQ(run(shell("kill -KILL $$")).exit_code(), 128 + SIGKILL);
}

TEST_F(GuestProgramTest, MeasuresItsTime) {
  const GuestEnd end = run(shell("sleep 0.3"));
  EXPECT_GE(end.wall_s, 0.3);
  EXPECT_FALSE(end.timed_out);
  EXPECT_FALSE(end.interrupted);
}

TEST_F(GuestProgramTest, RunsInItsFolderWithItsVariables) {
  GuestProgram program = shell("pwd >here; echo \"$GUEST $HOME\" >variables");
  program.folder = folder_;
  program.environment = {{"GUEST", "a value"}, {"HOME", "/replaced"}};
  EXPECT_EQ(run(program).exit_code(), 0);
  EXPECT_EQ(content("here"), fs::canonical(folder_).string() + "\n");
  EXPECT_EQ(content("variables"), "a value /replaced\n");
}

TEST_F(GuestProgramTest, SaysWhyItCannotBeStarted) {
  EXPECT_EQ(failure_of({.command = {"no-such-program-here"}, .environment = {}, .folder = std::nullopt}),
            "no-such-program-here: no such program");
  const fs::path data = file("data", "1 2 3\n", fs::perms::owner_read);
  EXPECT_THAT(failure_of({.command = {data}, .environment = {}, .folder = std::nullopt}),
              testing::HasSubstr("cannot be run: Permission denied"));
  const fs::path text = file("text", "1 2 3\n", fs::perms::owner_all);
  EXPECT_EQ(failure_of({.command = {text}, .environment = {}, .folder = std::nullopt}),
            text.string() + " is not a program");
  GuestProgram nowhere = shell("exit 0");
  nowhere.folder = folder_ / "missing";
  EXPECT_THAT(failure_of(nowhere), testing::HasSubstr("no such folder"));
}

TEST_F(GuestProgramTest, IsAskedToEndWhereItTakesTooLong) {
  GuestProgram program = shell("trap 'echo asked >asked; exit 3' TERM; while :; do sleep 0.05; done");
  program.folder = folder_;
  const GuestEnd end = run_guest(program, 500ms, [] {});
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.exit_code(), 3);
  EXPECT_EQ(content("asked"), "asked\n");
}

TEST_F(GuestProgramTest, IsGivenTheSignalsThatAreSentToUs) {
  GuestProgram program = shell("trap 'exit 9' USR1; echo >ready; while :; do sleep 0.05; done");
  program.folder = folder_;
  bool sent = false;
  const GuestEnd end = run_guest(program, 30s, [&] {
    if (sent || !fs::exists(folder_ / "ready")) return;
    sent = true;
    kill(getpid(), SIGUSR1);
  });
  EXPECT_EQ(end.exit_code(), 9);
  EXPECT_TRUE(end.interrupted);
}

TEST_F(GuestProgramTest, IsEndedByASecondInterruption) {
  GuestProgram program = shell("trap 'echo >interrupted' INT; echo >ready; while :; do sleep 0.05; done");
  program.folder = folder_;
  int sent = 0;
  const GuestEnd end = run_guest(program, 30s, [&] {
    const bool is_next =
        sent == 0 ? fs::exists(folder_ / "ready") : sent == 1 && fs::exists(folder_ / "interrupted");
    if (!is_next) return;
    ++sent;
    kill(getpid(), SIGINT);
  });
  EXPECT_EQ(sent, 2);
  EXPECT_EQ(end.exit_code(), 128 + SIGKILL);
}

TEST_F(GuestProgramTest, StaysInOurProcessGroup) {
  GuestProgram program = shell("ps -o pgid= -p $$ | tr -d ' ' >group");
  program.folder = folder_;
  if (run(program).exit_code() != 0) GTEST_SKIP() << "no ps here";
  EXPECT_EQ(content("group"), std::to_string(getpgrp()) + "\n");
}

TEST_F(GuestProgramTest, HasTheSignalsOfAnyProgram) {
  signal(SIGPIPE, SIG_IGN);  // as this program does
  EXPECT_EQ(run(shell("kill -PIPE $$; exit 0")).exit_code(), 128 + SIGPIPE);
  EXPECT_EQ(run(shell("kill -USR1 $$; exit 0")).exit_code(), 128 + SIGUSR1);
  signal(SIGPIPE, SIG_DFL);
}

}  // namespace
}  // namespace rooflinectl::guest_program_test
