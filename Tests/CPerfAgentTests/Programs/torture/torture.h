/// Programs that stress the agent and check their own results.
///
/// Each is a subcommand of one executable and runs until its time is over. The first wrong result
/// ends the process with 1 and a message.
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The end of the time, in CLOCK_MONOTONIC nanoseconds.
extern uint64_t torture_end_ns;
/// The words of the command line, the program's name first.
extern char **torture_words;

uint64_t torture_now(void);
/// Returns whether there is time left.
bool torture_goes_on(void);
/// Reports a number to the test.
void torture_say(const char *name, double value);

/// Ends the process with a message about a wrong result.
__attribute__((noreturn)) void torture_fail(const char *file, int line, const char *what);
#define CHECK(condition) ((condition) ? (void)0 : torture_fail(__FILE__, __LINE__, #condition))

/// Returns the next number of a sequence (splitmix64) and advances it.
uint64_t torture_random(uint64_t *state);
/// Computes for about `rounds` nanoseconds; equal arguments have equal results.
uint64_t torture_mix(uint64_t seed, unsigned rounds);

/// Starts a thread with a stack of a size (0: the default). Ends the process on failure.
unsigned long torture_start(void *(*body)(void *), void *argument, size_t stack_bytes);
/// Waits for a thread's end and returns its result.
void *torture_join(unsigned long thread);

int torture_loader(void);
int torture_births(void);
int torture_forks(void);
int torture_execs(void);
int torture_signals(void);
int torture_exceptions(void);
int torture_recursion(void);
int torture_altstack(void);
int torture_mortal(void);

#ifdef __cplusplus
}
#endif

#endif
