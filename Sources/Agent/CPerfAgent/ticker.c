#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "rings.h"

/// How often the ticker looks for threads that nobody has announced, and says what it has taken itself.
#define SCAN_NS 10000000u
/// How often it looks whether libraries were loaded or unloaded,
#define MODULES_NS 1000000u
/// and at who handles our signal.
#define LOOK_NS 50000000u
/// A thread that has not run for some time is looked at again after a part of that, but no later than
/// this. To read the CPU clock of another thread takes a system call, and programs have hundreds that do
/// nothing.
#define REST_PART 16u
#define REST_NS 8000000u
/// After this many ticks without an answer it finds out why a thread does not answer,
#define PENDING_TICKS 8u
/// and looks again after as many as this.
#define BLOCKED_TICKS 1024u
/// Who waits for the end of a pass looks after this whether there is a ticker to end it.
#define PASS_NS 100000000u
/// Between two runs of sampling it looks after this whether it is the last thread: so it does not sleep for
/// ever if it was told while it was on its way to sleep.
#define IDLE_NS 1000000000u
/// It changes its CPU at most so often.
#define STEP_NS 10000000u

/// The ticker's own state; no other thread sees it.
static struct {
  uint64_t random;
  bool may_signal;
  bool is_installed;
  uint64_t next_scan_ns, next_modules_ns, next_look_ns, next_step_ns;
  int cpu;              ///< Where it is in this pass.
  uint32_t running;     ///< Threads that it has met running in this pass,
  bool is_in_the_way;   ///< one of them where it is itself.
  bool is_alone;        ///< The program's threads have all ended.
  uint64_t earlier_cpu_ns;  ///< What those before it took: of another program, or with other rights.
  uid_t user;  ///< Whose process it is; when that changes, so does the ticker.
} ticker;

static struct perfkit_audit *audit(void) { return &perf_agent.segment->audit; }

static bool is_sampling(void) {
  return !ticker.is_alone &&
         atomic_load_explicit(&perf_agent.segment->sampling, memory_order_acquire) != 0 &&
         atomic_load_explicit(&perf_agent.is_stopping, memory_order_acquire) == 0;
}

/// Returns a number from 0 up to but not including `limit`, at most 2^32 (splitmix64: Steele, Lea,
/// Flood 2014, doi:10.1145/2660193.2660195).
static uint64_t random_below(uint64_t limit) {
  uint64_t z = ticker.random += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  z ^= z >> 31;
  return ((z >> 32) * limit) >> 32;
}

// MARK: - Signals

/// Notes why a thread does not answer its signals.
static void examine(struct perf_agent_thread *thread) {
  bool blocks = false, has_pending = true;
  int signal = perf_agent.segment->signal;
  if (!perf_agent_signal_masks(thread->tid, signal, &blocks, &has_pending)) return;
  // Blocked, but not pending: it is in the handler right now.
  bool is_blocking = blocks && has_pending;
  if (atomic_exchange(&thread->is_blocking, is_blocking) < is_blocking)
    perf_agent_count(&audit()->threads_blocking);
  // Something has taken the signal away (sigwait, signalfd): nobody will answer this one.
  if (!blocks && !has_pending) {
    uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
    atomic_store_explicit(&thread->handled, sent, memory_order_relaxed);
  }
}

/// Lets a thread be sent signals again that works and blocks nothing, though it has not said that its wait
/// is over: it is in a handler of the program, or has jumped out of one.
static void end_quiet(struct perf_agent_thread *thread, uint32_t sent) {
  bool blocks = true, has_pending;
  uint32_t ahead = sent + 1;
  if (perf_agent_signal_masks(thread->tid, perf_agent.segment->signal, &blocks, &has_pending) &&
      !blocks)
    atomic_compare_exchange_strong(&thread->handled, &ahead, sent);
}

/// Whether the last signal is still on its way, or the next one must not be sent.
static bool is_pending(struct perf_agent_thread *thread) {
  uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
  // Acquire: pairs with the handler's release; it has read what is about to be overwritten.
  uint32_t handled = atomic_load_explicit(&thread->handled, memory_order_acquire);
  if (sent + 1 == handled) {
    if (++thread->ticks_quiet % PENDING_TICKS == 0) end_quiet(thread, sent);
    return true;
  }
  thread->ticks_quiet = 0;
  if (sent == handled) {
    thread->ticks_pending = 0;
    return false;
  }
  if (thread->ticks_pending++ == 0) perf_agent_count(&audit()->signals_blocked);
  if (thread->ticks_pending == PENDING_TICKS || thread->ticks_pending % BLOCKED_TICKS == 0)
    examine(thread);
  return true;
}

/// Asks a running thread for a sample.
static void send_signal(struct perf_agent_thread *thread, uint64_t cpu_ns) {
  // Release: pairs with the handler's acquire.
  uint32_t number = 1 + atomic_fetch_add_explicit(&thread->sent, 1, memory_order_release);
  // Release: whoever reads these for an earlier signal sees the new number behind them.
  uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
  atomic_store_explicit(&thread->tick_ns, now, memory_order_release);
  atomic_store_explicit(&thread->tick_cpu_ns, cpu_ns, memory_order_release);
  siginfo_t information = {0};
  information.si_signo = perf_agent.segment->signal;
  information.si_code = SI_QUEUE;
  // Unused for signals, and handed on by the kernel as it is.
  information.si_errno = (int)number;
  information.si_pid = (pid_t)perf_agent.segment->agent_pid;
  information.si_uid = ticker.user;
  // The handler learns whom it was meant for: a thread's id may belong to another one by now.
  information.si_value.sival_ptr = thread;
  if (syscall(SYS_rt_tgsigqueueinfo, information.si_pid, thread->tid, information.si_signo,
              &information) == 0) {
    perf_agent_count(&audit()->signals_sent);
    return;
  }
  // One that has ended meanwhile is no failure of ours.
  if (errno != ESRCH) perf_agent_count(&audit()->signals_failed);
  atomic_fetch_sub_explicit(&thread->sent, 1, memory_order_relaxed);
}

// MARK: - A pass over all threads

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// ThreadSanitizer holds signals back until its runtime can be interrupted. A handler that is installed
/// behind its back would stop it at any instruction, its locks held.
#define PUTS_OFF_SIGNALS true
#endif
#endif
#if !defined(PUTS_OFF_SIGNALS)
#define PUTS_OFF_SIGNALS false
#endif

/// Whether the signal's handler is still ours, as far as is known.
static bool may_signal_at_all(void) {
  return !PUTS_OFF_SIGNALS && ticker.may_signal &&
         atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire) != 0;
}

/// Lets a thread rest that has not run of late, or not at all since sampling began.
static void let_rest(struct perf_agent_thread *thread, uint64_t now) {
  uint64_t rest = (now - thread->last_ran_ns) / REST_PART;
  if (rest > REST_NS) rest = REST_NS;
  // At random: those that fell asleep together are not to be looked at in one and the same tick.
  thread->rests_until_ns = now + rest / 2 + random_below(rest / 2);
}

static void note_running(const struct perf_agent_thread *thread) {
  ticker.running++;
  int cpu = atomic_load_explicit(&thread->cpu, memory_order_relaxed);
  if (cpu == ticker.cpu) ticker.is_in_the_way = true;
}

/// One tick of one live thread.
static void visit(struct perf_agent_thread *thread, uint64_t now) {
  uint64_t cpu_ns = perf_agent_cpu_clock(thread);
  if (cpu_ns == 0) {
    perf_agent_bury_vanished(thread, now);
    return;
  }
  // What was not there when sampling began has spent all of its CPU time since.
  if (!thread->is_announced) {
    perf_agent_announce(thread, now, 0);
    thread->last_ran_ns = now;
  }
  // One that has not run since is where it was: its stack is recorded once a block, and once more
  // when sampling begins.
  bool has_run = cpu_ns != thread->last_cpu_ns;
  if (!has_run && thread->is_met) {
    let_rest(thread, now);
    return;
  }
  if (thread->is_met) thread->last_ran_ns = now;
  thread->last_cpu_ns = cpu_ns;
  thread->is_met = true;
  bool may_signal = may_signal_at_all() && !is_pending(thread);
  // The signal itself advances the clock of an idle thread; what decides is whether it runs. Of one that is
  // on a CPU the clock tells by another reading, for a tenth of what it takes to read a file.
  struct perf_agent_place place;
  bool is_on_cpu = has_run && perf_agent_cpu_clock(thread) > cpu_ns;
  enum perf_agent_run_state state =
      is_on_cpu ? PERF_AGENT_RUNNING : perf_agent_run_state(thread, &place);
  if (state == PERF_AGENT_RUNNING && has_run) note_running(thread);
  if (state == PERF_AGENT_RUNNING && has_run && may_signal) send_signal(thread, cpu_ns);
  if (state == PERF_AGENT_WAITING) perf_agent_write_waiting(thread, &place, now, cpu_ns);
  // A descriptor for each of a thousand idle threads would be missed by the program.
  if (!has_run) perf_agent_procfs_close(thread);
}

/// Whether the ticker has ended by what it is not asked about, as by a filter that kills it for a call.
static bool is_killed(void) {
  uint32_t tid = atomic_load_explicit(&perf_agent.ticker_tid, memory_order_acquire);
  return tid != 0 && syscall(SYS_tgkill, getpid(), tid, 0) != 0;
}

void perf_agent_hold_ticker(void) {
  // Sequentially consistent, as is the ticker's side: either it sees the holder before it begins a
  // pass, or the holder sees the pass.
  atomic_fetch_add(&perf_agent.holders, 1);
  while (atomic_load(&perf_agent.is_passing)) {
    perf_agent_futex_wait(&perf_agent.is_passing, 1,
                          perf_agent_clock(CLOCK_MONOTONIC) + PASS_NS);
    if (is_killed()) atomic_store(&perf_agent.is_passing, 0);
  }
}

void perf_agent_release_ticker(void) { atomic_fetch_sub(&perf_agent.holders, 1); }

/// Begins a pass in which signals may be sent; false while somebody holds the ticker back.
static bool begin_pass(void) {
  atomic_store(&perf_agent.is_passing, 1);
  return atomic_load(&perf_agent.holders) == 0;
}

static void end_pass(void) {
  atomic_store(&perf_agent.is_passing, 0);
  if (atomic_load(&perf_agent.holders) != 0) perf_agent_futex_wake(&perf_agent.is_passing);
}

static void visit_all(uint64_t now) {
  ticker.cpu = sched_getcpu();
  ticker.running = 0;
  ticker.is_in_the_way = false;
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_LIVE && now >= thread->rests_until_ns) visit(thread, now);
    if (state == PERF_AGENT_ENDED) perf_agent_bury(thread, now);
  }
}

/// Goes to another CPU when a thread of the program runs on this one and others have nothing of the
/// program's to do.
///
/// A guest's kernel takes a CPU that rests for one that its host has taken away, and wakes the ticker
/// where it slept, though a busy thread is there by now. Every tick then takes that thread off its CPU,
/// until the load is balanced: for a whole launch of 50 ms, in which it costs 2 % of the wall time.
static void step_aside(uint64_t now) {
  if (!ticker.is_in_the_way || now < ticker.next_step_ns) return;
  ticker.next_step_ns = now + STEP_NS;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (ticker.running >= (uint32_t)CPU_COUNT(&allowed)) return;
  cpu_set_t others = allowed;
  CPU_CLR(ticker.cpu, &others);
  if (sched_setaffinity(0, sizeof others, &others) != 0) return;
  // It is there; where it goes from there is for the kernel to say.
  sched_setaffinity(0, sizeof allowed, &allowed);
}

// MARK: - Sampling

static void note_own_time(void) {
  uint64_t own = perf_agent_clock(CLOCK_THREAD_CPUTIME_ID);
  atomic_store_explicit(&audit()->ticker_cpu_ns, ticker.earlier_cpu_ns + own,
                        memory_order_relaxed);
}

/// Looks whether the program's threads have all ended, the first among them: then the process ends, as it
/// would without the ticker, when that does.
static void look_for_others(void) {
  ticker.is_alone = perf_agent_task_count() == 2 && perf_agent_is_initial_gone();
}

/// Looks at what changes seldom.
static void look_around(uint64_t now) {
  if (now >= ticker.next_scan_ns) {
    ticker.next_scan_ns = now + SCAN_NS;
    perf_agent_scan();
    look_for_others();
    note_own_time();
  }
  if (now >= ticker.next_modules_ns) {
    ticker.next_modules_ns = now + MODULES_NS;
    perf_agent_modules_update(false);
  }
  if (now >= ticker.next_look_ns) {
    ticker.next_look_ns = now + LOOK_NS;
    if (ticker.may_signal && !perf_agent_handler_is_ours()) {
      // What the program's own handler would make of our signals is not for us to try.
      ticker.may_signal = false;
      atomic_store_explicit(&perf_agent.has_signal, 0, memory_order_release);
      atomic_store_explicit(&audit()->foreign_handler, 1, memory_order_relaxed);
    }
  }
}

static void begin_sampling(uint64_t now) {
  ticker.is_installed = ticker.is_installed || perf_agent_handler_install();
  ticker.may_signal = atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire) != 0;
  if (!ticker.may_signal) atomic_store_explicit(&audit()->foreign_handler, 1, memory_order_relaxed);
  perf_agent_modules_forget();
  ticker.next_scan_ns = ticker.next_modules_ns = ticker.next_look_ns = now;
  atomic_store_explicit(&audit()->sampling_ended_ns, 0, memory_order_relaxed);
  uint64_t never = 0;
  atomic_compare_exchange_strong(&audit()->sampling_began_ns, &never, now);
  look_around(now);
  perf_agent_scan();  // Whoever is still a stranger at the second look was there before.
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_LIVE) perf_agent_announce(thread, now, perf_agent_cpu_clock(thread));
  }
}

static void end_sampling(uint64_t now) {
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_ENDED) perf_agent_bury(thread, now);
    if (state == PERF_AGENT_LIVE) perf_agent_dismiss(thread, now);
  }
  perf_agent_modules_update(true);
  ticker.may_signal = false;
  // Release: pairs with the harness's acquire; ring 0 is complete.
  atomic_store_explicit(&audit()->sampling_ended_ns, now, memory_order_release);
}

/// Ticks until the harness, or the end of the process, says stop.
///
/// Tick k is at a random place in the k-th interval of an absolute grid: a fixed beat would fall
/// into the same place of every frame of a frame loop.
static void sample(void) {
  struct perfkit_segment *segment = perf_agent.segment;
  uint64_t interval = segment->interval_ns;
  uint64_t start = perf_agent_clock(CLOCK_MONOTONIC);
  begin_sampling(start);
  for (uint64_t k = 0; is_sampling(); k++) {
    uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
    while (now >= start + (k + 1) * interval) {
      perf_agent_count(&audit()->ticks_missed);
      k++;
    }
    uint64_t due = start + k * interval + random_below(interval);
    while ((now = perf_agent_clock(CLOCK_MONOTONIC)) < due && is_sampling())
      perf_agent_futex_wait(&segment->sampling, 1, due);
    if (now < due) break;
    perf_agent_count(&audit()->ticks);
    if (now - due > interval / 2) perf_agent_count(&audit()->ticks_late);
    bool may_visit = begin_pass();
    if (may_visit) visit_all(now);
    end_pass();
    if (may_visit) step_aside(now);
    look_around(now);
  }
  end_sampling(perf_agent_clock(CLOCK_MONOTONIC));
  note_own_time();
}

/// Cleans up after threads that have ended while nobody looked.
static void clean_up(void) {
  uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_ENDED) perf_agent_farewell(thread, now);
  }
}

/// The kernel's struct sched_attr in its first version; glibc 2.36 does not have it.
struct scheduling {
  uint32_t bytes;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

/// Asks to be woken early when every CPU is busy, by a short slice, which means an early deadline
/// (any user, Linux 6.12; older kernels ignore it).
///
/// Not by real-time priority, which would miss even fewer ticks: the kernel wakes such a thread on
/// the CPU where it ran last, even if the measured thread runs there and another CPU is idle. But a
/// program that is real-time itself would let no other thread run while it does: there the ticker
/// stands one above it.
static void hurry(void) {
  int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  struct sched_param inherited = {0};
  if ((policy == SCHED_FIFO || policy == SCHED_RR) && sched_getparam(0, &inherited) == 0) {
    inherited.sched_priority++;
    // What it has inherited is the best that it gets where this is too much to ask.
    sched_setscheduler(0, SCHED_FIFO, &inherited);
    return;
  }
  struct scheduling scheduling = {
      .bytes = sizeof scheduling, .policy = SCHED_OTHER, .runtime = 100000};
  if (syscall(SYS_sched_setattr, 0, &scheduling, 0) == 0) return;
  // A program that is nice: its user may not make the ticker less so.
  scheduling.nice = getpriority(PRIO_PROCESS, 0);
  syscall(SYS_sched_setattr, 0, &scheduling, 0);
}

void *perf_agent_ticker(void *unused) {
  (void)unused;
  struct perfkit_segment *segment = perf_agent.segment;
  atomic_store_explicit(&perf_agent.ticker_tid, perf_agent_tid(), memory_order_release);
  perf_agent_roster_prepare();
  // In a child after fork there is its parent's.
  memset(&ticker, 0, sizeof ticker);
  ticker.random = segment->seed;
  ticker.user = getuid();
  ticker.earlier_cpu_ns =
      atomic_load_explicit(&segment->audit.ticker_cpu_ns, memory_order_relaxed);
  prctl(PR_SET_NAME, "perfkit-ticker");
  // The default slack of 50 us would make every tick late.
  prctl(PR_SET_TIMERSLACK, 1);
  hurry();
  while (!ticker.is_alone &&
         !atomic_load_explicit(&perf_agent.is_stopping, memory_order_acquire)) {
    if (is_sampling()) {
      atomic_store_explicit(&perf_agent.is_ticker_idle, 0, memory_order_relaxed);
      sample();
    }
    atomic_store_explicit(&perf_agent.is_ticker_idle, 1, memory_order_release);
    if (is_sampling()) continue;
    // Whoever is the last one to end cannot tell when that has come to pass.
    bool may_be_last = atomic_load(&perf_agent.has_initial_ended) != 0;
    uint64_t pause = may_be_last ? SCAN_NS : IDLE_NS;
    perf_agent_futex_wait(&segment->sampling, 0, perf_agent_clock(CLOCK_MONOTONIC) + pause);
    look_for_others();
    // Not before the first sampling: a program that is sampled from its start has all its threads.
    clean_up();
  }
  atomic_store_explicit(&perf_agent.is_ticker_idle, 1, memory_order_release);
  perf_agent_futex_wake(&perf_agent.is_ticker_idle);
  // What runs at the end of the process is the program's.
  if (ticker.is_alone) perf_agent_ticker_leave();
  return NULL;
}
