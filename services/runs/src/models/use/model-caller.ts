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
/** The contexts of runs, which count their calls of models. */
const contexts = new WeakMap<ModelCaller, InvocationContext>();

/** Notes the run of a session that a turn's agents see. */
export function noteRun(session: Session, run: ModelCaller): void {
  runs.set(session, run);
}

/** Notes the context of the run whose agents see a session: calls of models that agents of tools make count there. */
export function noteContext(context: InvocationContext): void {
  const run = runs.get(context.session);
  if (run !== undefined) contexts.set(run, context);
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

/**
 * Notes for each request of a model who makes it. ADK gives the agent of a tool an invocation of its own, with a limit of its own, so its calls are counted
 * for the run here. Throws ADK's error when the run has made more than it may.
 */
export class CallerNote extends BaseLlmRequestProcessor {
  override async *runAsync(context: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    const run = runs.get(context.session);
    if (run !== undefined) {
      callers.set(request, run);
      if (context.invocationId !== run.invocationId) contexts.get(run)?.incrementLlmCallCount();
    }
    yield* [];
  }
}
