import {
  BaseLlmRequestProcessor,
  type Event,
  type InvocationContext,
  type LlmRequest,
  type Session,
} from '@google/adk';

/** Who calls a model. */
export interface ModelCaller {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly invocationId: string;
}

/** ADK's sessions know no accounts, and its models are not told who calls them. */
const accounts = new WeakMap<Session, string>();
const callers = new WeakMap<LlmRequest, ModelCaller>();

/** Notes the account of the session that a turn's agents see. */
export function noteAccount(session: Session, accountId: string): void {
  accounts.set(session, accountId);
}

/** The account of a session that a turn's agents see; undefined outside of a turn. */
export function accountOf(session: Session): string | undefined {
  return accounts.get(session);
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
  override async *runAsync(context: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    const { session, invocationId } = context;
    const accountId = accounts.get(session);
    if (accountId !== undefined) {
      callers.set(request, { accountId, appName: session.appName, userId: session.userId, invocationId });
    }
    yield* [];
  }
}
