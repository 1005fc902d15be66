import {
  BaseLlmRequestProcessor,
  type Event,
  type InvocationContext,
  type LlmRequest,
  type Session,
} from '@google/adk/core';
import type { CallCosts } from './call-costs.ts';
import type { RunWaits } from './run-waits.ts';
import type { TurnLease } from './turn-lease.ts';

/** A source of tools that cannot be used, with a reason that may be shown. */
export interface MissingTool {
  readonly name: string;
  readonly reason: string;
}

/** Told which tools a run does without. */
export interface MissingTools {
  noteMissing(tool: MissingTool): void;
}

/** The caller of a model: the run that a client has started, also when an agent of a tool makes the call. */
export interface ModelCaller {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly invocationId: string;
  /** Counts the costs of the run. Absent outside of a run's own process. */
  readonly costs?: CallCosts | undefined;
  /** Held before each call of a model or a tool. Absent outside of a run's own process. */
  readonly lease?: TurnLease | undefined;
  /** Notes what the run waits for. Absent outside of a run's own process. */
  readonly waits?: RunWaits | undefined;
  /** Notes tools that the run does without. Absent outside of a run's own process. */
  readonly missing?: MissingTools | undefined;
  /** Counts the calls of the run. Set by `noteContext`. */
  context?: InvocationContext;
}

/**
 * The caller of a session or of a request: ADK's sessions know no accounts, and its models are not told who calls them. Copies and JSON leave this
 * property out. It is no WeakMap, because V8's minor collections take the values of one for alive, also when their keys are not: every run
 * with all that it holds would stay in memory until the next full collection.
 */
const callerKey = Symbol('caller');

/** Notes the run of a session that a turn's agents see. */
export function noteRun(session: Session, run: ModelCaller): void {
  note(session, run);
}

/** Notes the context of the run whose agents see a session: calls of models that agents of tools make count there. */
export function noteContext(context: InvocationContext): void {
  const run = notedAt(context.session);
  if (run !== undefined) run.context = context;
}

/** The account of a session that a turn's agents see; undefined outside of a turn. */
export function accountOf(session: Session): string | undefined {
  return notedAt(session)?.accountId;
}

/** Notes the tools that the run of a session does without. Undefined outside of a run's own process. */
export function missingToolsOf(session: Session): MissingTools | undefined {
  return notedAt(session)?.missing;
}

/** Holds the lease of the run whose agents see a session; see TurnLease. Undefined outside of a run's own process, too. */
export function holdLease(session: Session): Promise<void> | undefined {
  return notedAt(session)?.lease?.hold();
}

/** Notes who makes a request of a model. */
export function noteCaller(request: LlmRequest, caller: ModelCaller): void {
  note(request, caller);
}

/** The caller of a request to a model; undefined unless its agent has `CallerNote`. */
export function callerOf(request: LlmRequest): ModelCaller | undefined {
  return notedAt(request);
}

function note(noted: Session | LlmRequest, caller: ModelCaller): void {
  Object.defineProperty(noted, callerKey, { value: caller, configurable: true });
}

function notedAt(noted: Session | LlmRequest): ModelCaller | undefined {
  return Reflect.get(noted, callerKey) as ModelCaller | undefined;
}

/**
 * Notes for each request of a model who makes it. ADK gives the agent of a tool an invocation of its own, with a limit of its own, so its calls are counted
 * for the run here. Holds the run's lease. Throws ADK's error when the run has made more than it may.
 */
export class CallerNote extends BaseLlmRequestProcessor {
  override async *runAsync(context: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    const run = notedAt(context.session);
    if (run !== undefined) {
      note(request, run);
      const renewal = run.lease?.hold();
      if (renewal !== undefined) await renewal;
      if (context.invocationId !== run.invocationId) run.context?.incrementLlmCallCount();
    }
    yield* [];
  }
}
