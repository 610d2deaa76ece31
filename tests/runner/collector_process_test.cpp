// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "runner/processes/processes.h"

namespace rooflinectl::collector_process_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Clock = CollectorProcess::Clock;
using Line = CollectorProcess::Line;
using LogLine = CollectorProcess::LogLine;
using Exited = CollectorProcess::Exited;

/// A process that runs a shell script.
struct Shell : CollectorProcess {
  explicit Shell(const std::string& script, std::string input = {})
      : CollectorProcess("/bin/sh", {"-c", script}, std::move(input)) {}
};

struct Transcript {
  std::vector<std::string> lines;
  std::vector<std::string> log;
  CollectorProcess::Event end;
};

/// Everything until the first event that is not a line.
Transcript listen_to(CollectorProcess& process, std::chrono::milliseconds limit = 20s) {
  Transcript transcript;
  const auto deadline = Clock::now() + limit;
  while (true) {
    CollectorProcess::Event event = process.next(deadline);
    if (const auto* line = std::get_if<Line>(&event)) {
      transcript.lines.push_back(line->text);
    } else if (const auto* log_line = std::get_if<LogLine>(&event)) {
      transcript.log.push_back(log_line->text);
    } else {
      transcript.end = event;
      return transcript;
    }
  }
}

std::string how_it_ended(const Transcript& transcript) {
  const auto* exited = std::get_if<Exited>(&transcript.end);
  return exited != nullptr ? describe_exit(exited->wait_status) : "not at all";
}

TEST(CollectorProcess, HandsOutLinesOfBothStreamsAndTheEnd) {
  Shell shell("echo one; echo two; echo hm >&2; exit 3");
  const Transcript transcript = listen_to(shell);
  EXPECT_THAT(transcript.lines, ElementsAre("one", "two"));
  EXPECT_THAT(transcript.log, ElementsAre("hm"));
  EXPECT_EQ(how_it_ended(transcript), "exited with code 3");
}

TEST(CollectorProcess, ASignalIsNamed) {
  Shell shell("kill -SEGV $$");
  EXPECT_EQ(how_it_ended(listen_to(shell)), "crashed with SIGSEGV");
}

TEST(CollectorProcess, HalfALineIsDroppedButALogIsKeptToTheEnd) {
  Shell shell("echo whole; printf half; printf 'last words' >&2");
  const Transcript transcript = listen_to(shell);
  EXPECT_THAT(transcript.lines, ElementsAre("whole"));
  EXPECT_THAT(transcript.log, ElementsAre("last words"));
}

TEST(CollectorProcess, ALineMayComeInPieces) {
  Shell shell("printf on; sleep 0.2; echo e");
  EXPECT_THAT(listen_to(shell).lines, ElementsAre("one"));
}

TEST(CollectorProcess, InputOfAnySizeArrivesWhole) {
  Shell shell("wc -c", std::string(5'000'000, 'x'));
  const Transcript transcript = listen_to(shell);
  ASSERT_THAT(transcript.lines, SizeIs(1));
  EXPECT_THAT(transcript.lines[0], HasSubstr("5000000"));
}

TEST(CollectorProcess, AProcessThatDoesNotReadItsInputDoesNotBlock) {
  Shell shell("echo busy; exec sleep 60", std::string(5'000'000, 'x'));
  const Transcript transcript = listen_to(shell, 500ms);
  EXPECT_THAT(transcript.lines, ElementsAre("busy"));
  EXPECT_TRUE(std::holds_alternative<CollectorProcess::TimedOut>(transcript.end));
}

TEST(CollectorProcess, AProcessThatClosesItsInputDoesNotKillUs) {
  Shell shell("exec <&-; sleep 0.2; echo still here", std::string(5'000'000, 'x'));
  EXPECT_THAT(listen_to(shell).lines, ElementsAre("still here"));
}

TEST(CollectorProcess, SilenceEndsAtTheDeadlineHoweverMuchIsLogged) {
  Shell shell("while true; do echo noise >&2; done");
  const auto start = Clock::now();
  const Transcript transcript = listen_to(shell, 300ms);
  EXPECT_TRUE(std::holds_alternative<CollectorProcess::TimedOut>(transcript.end));
  EXPECT_LT(Clock::now() - start, 5s);
}

TEST(CollectorProcess, AnEndlessLineIsRefusedWithinBounds) {
  Shell shell("while true; do printf %65536s; done");
  EXPECT_TRUE(std::holds_alternative<CollectorProcess::LineTooLong>(listen_to(shell).end));
}

TEST(CollectorProcess, ManyLinesArriveInOrder) {
  Shell shell("seq 1 200000");
  const Transcript transcript = listen_to(shell);
  ASSERT_THAT(transcript.lines, SizeIs(200'000));
  EXPECT_EQ(transcript.lines.back(), "200000");
}

TEST(CollectorProcess, WhatCannotBeRunExitsWith127AndTheReason) {
  CollectorProcess process("/no/such/program", {}, {});
  const Transcript transcript = listen_to(process);
  EXPECT_EQ(how_it_ended(transcript), "exited with code 127");
  EXPECT_THAT(transcript.log, ElementsAre("cannot run /no/such/program: No such file or directory"));
}

TEST(CollectorProcess, AStopRequestIsSeenAtOnce) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  Shell shell("sleep 60");
  const auto event = shell.next(Clock::now() + 20s, ends[0]);
  EXPECT_TRUE(std::holds_alternative<CollectorProcess::StopRequested>(event));
  close(ends[0]);
  close(ends[1]);
}

/// Whether a process runs; one that is dead but not buried yet (a zombie) does not.
bool is_alive(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string field;
  for (int i = 0; i < 3; ++i) stat >> field;  // pid, (name), state
  return stat.good() && field != "Z";
}

bool dies_within(pid_t pid, std::chrono::milliseconds limit) {
  for (const auto deadline = Clock::now() + limit; Clock::now() < deadline;
       std::this_thread::sleep_for(10ms)) {
    if (!is_alive(pid)) return true;
  }
  return false;
}

TEST(CollectorProcess, EndIsGentleFirst) {
  Shell shell("trap 'echo bye; exit 0' TERM; echo ready; while true; do sleep 0.05; done");
  ASSERT_TRUE(std::holds_alternative<Line>(shell.next(Clock::now() + 20s)));
  const auto start = Clock::now();
  shell.end();
  EXPECT_LT(Clock::now() - start, 1500ms);
  EXPECT_EQ(how_it_ended(listen_to(shell)), "exited with code 0");
}

TEST(CollectorProcess, EndKillsAProcessThatIgnoresTheSignal) {
  Shell shell("trap '' TERM; echo $$; while true; do sleep 0.05; done");
  const auto event = shell.next(Clock::now() + 20s);
  const pid_t pid = std::stoi(std::get<Line>(event).text);
  shell.end();
  EXPECT_FALSE(is_alive(pid));
}

TEST(CollectorProcess, NothingOutlivesTheObject) {
  pid_t grandchild = 0;
  {
    Shell shell("sleep 60 & echo $!; wait");
    grandchild = std::stoi(std::get<Line>(shell.next(Clock::now() + 20s)).text);
    ASSERT_TRUE(is_alive(grandchild));
  }
  EXPECT_TRUE(dies_within(grandchild, 5s));
}

TEST(CollectorProcess, AGrandchildNeitherDelaysTheEndNorSurvivesIt) {
  Shell shell("sleep 60 & echo $!; exit 4");
  const Transcript transcript = listen_to(shell);
  EXPECT_EQ(how_it_ended(transcript), "exited with code 4");
  EXPECT_TRUE(dies_within(std::stoi(transcript.lines.at(0)), 5s));
}

}  // namespace
}  // namespace rooflinectl::collector_process_test
