import { Roster } from '@agentmesh/lib/rpc';
import { AccountSteps, Stopping, type Turn as AccountTurn, type Turns } from '@agentmesh/lib/wait';
import type { Lease, Turn } from '@agentmesh/proto/sessions/v1';
import { RunWaits } from '../../models/use/run-waits.ts';
import type { TurnLease } from '../../models/use/turn-lease.ts';
import { outlastOutage } from '../../outlast-outage.ts';
import { heaviestAccount } from '../limits/heaviest-account.ts';
import { AttemptStopped, type StopCause } from './attempt-stopped.ts';
import { executeAttempt } from './execute-attempt.ts';
import type { Ending, ExecutionDeps } from './execution-deps.ts';
import { createOneByOne } from './one-by-one.ts';
import type { HistoryWindow } from '../../apps/turns/history/history-window.ts';
import type { Viewer } from '../viewer.ts';

/** Proof that an attempt holds its turn. */
export type HeldLease = Pick<Lease, 'accountId' | 'sessionPk' | 'invocationId' | 'fence'>;

/** An attempt of this process, with what it waits for. */
export interface WaitingAttempt {
  readonly turn: Turn;
  /** Its fields of the wait are written by the sweep, and sent with the next renewal. */
  readonly lease: HeldLease & { waitingOn: string; waitingSince: number };
  readonly appName: string;
  readonly waits: RunWaits;
  readonly viewer: Viewer | undefined;
}

export interface StartOptions {
  readonly viewer?: Viewer | undefined;
  /** The cached window that the request to BeginTurn named. */
  readonly known?: HistoryWindow | undefined;
  /** Ended when the attempt waits for a model or has ended. */
  readonly entering?: AccountTurn | undefined;
}

/** The attempts that run in this process. They go on when their callers leave. */
export interface Executor {
  /**
   * Executes a granted turn without waiting for it. Runs whose executors have died more than once are executed one at a time for each account: one of them may
   * be what they died of, and the next death then costs the others little.
   */
  start(turn: Turn, options?: StartOptions): void;
  readonly running: number;
  leases(): HeldLease[];
  /** Leases that have run out by `nowMs`, because this process was stopped or could not renew them: others may have taken their runs. */
  expired(nowMs: number): HeldLease[];
  /** Its attempts. */
  attempts(): Iterable<WaitingAttempt>;
  /** The account that is charged when the process dies, see RenewLeasesRequest; empty for none. Each renewal tells it. */
  heaviest(): string;
  /**
   * Extends the lease of this process, and asks in the same call about attempts: those that have lost their turn, or whose runs are being cancelled, are stopped;
   * these store what they have. Answers the database's clock in Unix seconds. Throws MeshError.
   *
   * @param straysBefore see RenewLeasesRequest
   */
  renew(leases: readonly HeldLease[], straysBefore?: number): Promise<number>;
  /** Stops attempts that could not renew their lease for `outageMs` after it had run out, by `nowMs`. The ledger may still show them as running. */
  stopExpired(nowMs: number): void;
  /** Resolves when no attempt runs. */
  idle(): Promise<void>;
  /** Waits for the attempts. Those that still run after `deadlineMs` are stopped, for another process to go on with them: answers their leases. */
  drain(deadlineMs: number): Promise<HeldLease[]>;
}

export interface ExecutorOptions extends ExecutionDeps {
  /** Spreads the work of runs; by default for this executor alone. */
  readonly steps?: AccountSteps;
  /** Turns of accounts to repeat calls of models. Absent: runs repeat them whenever they want. */
  readonly repeats?: Turns;
  readonly onEnded?: (ending: Ending, turn: Turn) => void;
  /** Wraps the execution of an attempt, e.g. in a span. */
  readonly around?: (turn: Turn, attempt: () => Promise<Ending>) => Promise<Ending>;
}

interface RunningAttempt extends WaitingAttempt {
  readonly working: Stopping;
  readonly lost: Stopping;
  readonly leaseMs: number;
  heldAtMs: number;
  done: Promise<void>;
}

/** Longest wait to repeat a call of a model. */
const longestWaitMs = 1_000;
/** Lease when the sessions service does not say how long a turn lasts. */
const defaultLeaseSeconds = 10;

export function createExecutor(options: ExecutorOptions): Executor {
  const attempts = new Roster<RunningAttempt>();
  const [inTurn, { steps = new AccountSteps() }] = [createTurns(), options];
  const holding = (leases: readonly HeldLease[]): RunningAttempt[] => {
    const names = new Set(leases.map(nameOf));
    return [...attempts].filter(({ lease }) => names.has(nameOf(lease)));
  };

  const executor: Executor = {
    start(turn, { viewer, known, entering } = {}) {
      const running = toRunning(turn, { viewer, entering, repeats: options.repeats, steps });
      const { working, lost, waits } = running;
      const leave = attempts.add(running);
      const lease = leaseOf(executor, options.outageMs, running);
      const attempt = () => executeAttempt(options, { turn, known, viewer, working, lease, waits, lost });
      const begin = () => settled(options, turn, options.around?.(turn, attempt) ?? attempt());
      running.done = inTurn(running, begin).then((ending) => {
        leave();
        entering?.end();
        options.onEnded?.(ending, turn);
      });
    },
    get running() {
      return attempts.size;
    },
    leases: () => [...attempts].map(({ lease }) => lease),
    expired: (nowMs) => [...attempts].filter((it) => it.heldAtMs + it.leaseMs < nowMs).map(({ lease }) => lease),
    attempts: () => attempts,
    heaviest: () => heaviestAccount(attempts),
    async renew(leases, straysBefore = 0) {
      const askedAtMs = performance.now();
      const told = { owner: options.owner, heaviestAccountId: executor.heaviest(), straysBefore, leases: [...leases] };
      const { lost, cancelled, interrupted, now } = await options.sessions.renewLeases(told, { timeoutMs: 2_500 });
      for (const attempt of holding(leases)) attempt.heldAtMs = askedAtMs;
      for (const attempt of holding(lost)) stop(attempt, 'lost');
      for (const attempt of holding(interrupted)) stop(attempt, 'interrupted');
      for (const attempt of holding(cancelled)) stop(attempt, 'cancelled');
      return now;
    },
    stopExpired(nowMs) {
      for (const attempt of attempts)
        if (attempt.heldAtMs + attempt.leaseMs + options.outageMs < nowMs) stop(attempt, 'lost');
    },
    async idle() {
      while (attempts.size > 0) await Promise.all([...attempts].map(({ done }) => done));
    },
    drain: (deadlineMs) => drain(executor, attempts, deadlineMs),
  };
  return executor;
}

/** An attempt rejects only by a fault of this program, whose ledger may still show the run. It must end neither this process nor those who wait for it. */
function settled({ log }: ExecutorOptions, { invocationId, session }: Turn, attempt: Promise<Ending>): Promise<Ending> {
  return attempt.catch((err: unknown) => {
    log.error({ err, invocationId, app: session?.appName }, 'an attempt has failed outside its run');
    return 'lost';
  });
}

/** Waits until nothing is executed. What still is at the deadline is handed over: answers its leases. */
async function drain(executor: Executor, attempts: Iterable<RunningAttempt>, deadlineMs: number): Promise<HeldLease[]> {
  const left: HeldLease[] = [];
  const timer = setTimeout(() => {
    left.push(...executor.leases());
    for (const attempt of attempts) stop(attempt, 'handed-over');
  }, deadlineMs);
  await executor.idle();
  clearTimeout(timer);
  return left;
}

interface Beginning {
  readonly viewer: Viewer | undefined;
  readonly entering: AccountTurn | undefined;
  readonly repeats: Turns | undefined;
  readonly steps: AccountSteps;
}

function toRunning(turn: Turn, { viewer, entering, repeats, steps }: Beginning): RunningAttempt {
  const { session, sessionPk, invocationId, fence, leaseSeconds } = turn;
  entering?.endWhenIdle();
  const accountId = session?.accountId ?? '';
  return {
    turn,
    lease: { accountId, sessionPk, invocationId, fence, waitingOn: '', waitingSince: 0 },
    appName: session?.appName ?? '',
    waits: new RunWaits(
      () => entering?.end(),
      () => waitToRepeat(repeats, accountId),
      () => steps.take(accountId),
    ),
    viewer,
    leaseMs: (leaseSeconds || defaultLeaseSeconds) * 1_000,
    working: new Stopping(),
    lost: new Stopping(),
    heldAtMs: performance.now(),
    done: Promise.resolve(),
  };
}

/** Waits for a turn of the account, a second at most: a call has a time in which it is repeated. */
async function waitToRepeat(repeats: Turns | undefined, accountId: string): Promise<void> {
  (await repeats?.wait(accountId, AbortSignal.timeout(longestWaitMs)))?.end();
}

/** Begins attempts when their account has a step, but those of runs whose executors died again one after the other for each account. */
function createTurns() {
  const oneByOne = createOneByOne();
  return ({ turn, waits, working }: RunningAttempt, begin: () => Promise<Ending>): Promise<Ending> => {
    const work = () => (turn.deaths > 1 ? oneByOne(turn.session?.accountId ?? '', begin, working.signal) : begin());
    const step = waits.step();
    return step === undefined ? work() : step.then(work);
  };
}

/** See TurnLease. While sessions cannot be reached, renewing waits for up to `outageMs`, as the attempt does. */
function leaseOf(executor: Executor, outageMs: number, attempt: RunningAttempt): TurnLease {
  const { working } = attempt;
  const leases = [attempt.lease];
  const renew = async (): Promise<void> => {
    using _ = attempt.waits.begin('lease');
    try {
      await outlastOutage(() => executor.renew(leases), { signal: working.signal, patienceMs: outageMs });
    } catch {
      // A refusal, or an outage that lasts too long: nobody says that the turn is still held.
      if (working.ended === undefined) stop(attempt, 'lost');
    }
    working.check();
  };
  let renewal: Promise<void> | undefined;
  return {
    hold() {
      if (performance.now() < attempt.heldAtMs + attempt.leaseMs) return undefined;
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
      return renewal;
    },
  };
}

/** The fence is unique in the session. */
function nameOf({ accountId, sessionPk, fence }: HeldLease): string {
  return `${accountId}/${sessionPk}/${fence}`;
}

function stop(attempt: RunningAttempt, cause: StopCause): void {
  const reason = new AttemptStopped(cause);
  if (cause === 'lost' || cause === 'handed-over') attempt.lost.abort(reason);
  attempt.working.abort(reason);
}
