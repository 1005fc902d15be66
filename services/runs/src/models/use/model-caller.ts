import {
  BaseLlmRequestProcessor,
  type Event,
  type InvocationContext,
  type LlmRequest,
  type Session,
} from '@google/adk';
import type { CallCosts } from './call-costs.ts';

/** Who calls a model: the run that a client has started, also when an agent of a tool makes the call. */
export interface ModelCaller {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly invocationId: string;
  /** Counts the costs of the run. Absent outside of a run's own process. */
  readonly costs?: CallCosts | undefined;
}

/** ADK's sessions know no accounts, and its models are not told who calls them. */
const runs = new WeakMap<Session, ModelCaller>();
const callers = new WeakMap<LlmRequest, ModelCaller>();

/** Notes the run of a session that a turn's agents see. */
export function noteRun(session: Session, run: ModelCaller): void {
  runs.set(session, run);
}

/** The account of a session that a turn's agents see; undefined outside of a turn. */
export function accountOf(session: Session): string | undefined {
  return runs.get(session)?.accountId;
}

/** Notes who makes a request of a model. */
export function noteCaller(request: LlmRequest, caller: ModelCaller): void {
  callers.set(request, caller);
}

/** Who makes a request of a model; undefined unless its agent has `CallerNote`. */
export function callerOf(request: LlmRequest): ModelCaller | undefined {
  return callers.get(request);
}

/** Notes for each request of a model who makes it. */
export class CallerNote extends BaseLlmRequestProcessor {
  override async *runAsync({ session }: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    const run = runs.get(session);
    if (run !== undefined) callers.set(request, run);
    yield* [];
  }
}
