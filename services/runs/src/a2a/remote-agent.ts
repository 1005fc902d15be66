import { BaseAgent, type BaseAgentConfig, createEvent, type Event, type InvocationContext } from '@google/adk';
import type { Part } from '@google/genai';
import type { Client } from '@a2a-js/sdk/client';
import type { Logger } from '@agentmesh/lib/telemetry';
import { accountOf } from '../models/index.ts';
import { type HeaderSources, type OpenToolKey, requestHeaders } from '../mcp/request-headers.ts';
import { RemoteAnswer, saidMark } from './answer.ts';
import type { OpenRemote } from './remote-client.ts';
import { describeRemoteFailure, RemoteFailure } from './remote-failure.ts';
import { contextKey, taskKey, toMessage } from './to-message.ts';

export interface RemoteAgentConfig extends BaseAgentConfig, HeaderSources {
  /** Address of the agent's card. */
  readonly cardUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for one answer. */
  readonly timeoutMs: number;
}

export interface RemoteAgentDeps {
  readonly openRemote: OpenRemote;
  readonly openKey: OpenToolKey;
  readonly log: Logger;
}

const cancelMs = 2_000;

/** An agent that runs elsewhere and is reached by the Agent2Agent protocol. A failure is an event with an error, like that of a model. */
export class RemoteAgent extends BaseAgent {
  readonly #config: RemoteAgentConfig;
  readonly #deps: RemoteAgentDeps;

  constructor(config: RemoteAgentConfig, deps: RemoteAgentDeps) {
    super({ name: config.name, description: config.description ?? '' });
    this.#config = config;
    this.#deps = deps;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, void> {
    const ending = new AbortController();
    const deadline = AbortSignal.timeout(this.#config.timeoutMs);
    const signals = [ending.signal, deadline, ...(context.abortSignal === undefined ? [] : [context.abortSignal])];
    const answer = new RemoteAnswer();
    let client: Client | undefined;
    try {
      const signal = AbortSignal.any(signals);
      client = await this.#open(context, signal, (failure) => ending.abort(failure));
      const message = toMessage(context.session.events, this.name);
      if (message.parts.length === 0) throw new RemoteFailure('There is nothing to say to the remote agent.');
      const request = { tenant: '', message, configuration: undefined, metadata: undefined };
      for await (const piece of client.sendMessageStream(request, { signal })) {
        const parts = answer.take(piece);
        if (parts.length > 0) yield this.#event(context, { parts, partial: true });
      }
      if (!answer.isOver) throw new RemoteFailure('The remote agent ended its answer before its task was over.');
      yield this.#whole(context, answer);
    } catch (error) {
      context.abortSignal?.throwIfAborted();
      yield this.#failure(context, ending.signal.aborted ? ending.signal.reason : error);
    } finally {
      ending.abort(new RemoteFailure('The remote agent has answered.'));
      if (context.abortSignal?.aborted === true || deadline.aborted) cancel(client, answer.taskId);
    }
  }

  protected override async *runLiveImpl(): AsyncGenerator<Event, void, void> {
    yield* [];
    throw new Error('A remote agent takes no live conversation.');
  }

  async #open(context: InvocationContext, signal: AbortSignal, onTooLarge: (failure: Error) => void): Promise<Client> {
    const { cardUrl, headers } = this.#config;
    const accountId = accountOf(context.session) ?? '';
    const state = (key: string): unknown => context.session.state[key];
    const own = await requestHeaders(this.#config, { accountId, url: cardUrl, state }, this.#deps.openKey);
    return this.#deps.openRemote({ accountId, cardUrl, headers: { ...headers, ...own }, signal, onTooLarge });
  }

  #whole(context: InvocationContext, answer: RemoteAnswer): Event {
    const { parts, contextId, taskId, needsInput } = answer;
    const customMetadata = { [contextKey]: contextId, ...(needsInput && { [taskKey]: taskId }) };
    return this.#event(context, { parts, ...(contextId !== '' && { customMetadata }) });
  }

  #failure(context: InvocationContext, error: unknown): Event {
    const errorMessage = describeRemoteFailure(error);
    // Words of the remote agent may repeat secrets that it was sent.
    const [reason] = errorMessage.split(saidMark);
    this.#deps.log.warn({ agent: this.name, reason }, 'remote agent failed');
    return this.#event(context, { errorCode: 'REMOTE_AGENT_FAILED', errorMessage });
  }

  #event(
    { invocationId, branch }: InvocationContext,
    { parts, ...fields }: Partial<Event> & { readonly parts?: Part[] },
  ): Event {
    return createEvent({
      ...fields,
      invocationId,
      author: this.name,
      ...(branch !== undefined && { branch }),
      ...(parts !== undefined && { content: { role: 'model', parts } }),
    });
  }
}

/** Tells the remote agent that nobody waits for its task any more. */
function cancel(client: Client | undefined, taskId: string): void {
  if (client === undefined || taskId === '') return;
  const request = { tenant: '', id: taskId, metadata: undefined };
  client.cancelTask(request, { signal: AbortSignal.timeout(cancelMs) }).catch(() => undefined);
}
