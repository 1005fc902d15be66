import type { Client } from '@a2a-js/sdk/client';
import type { Logger } from '@agentmesh/lib/telemetry';
import { unlessAborted } from '@agentmesh/lib/wait';
import { type HeaderSources, type OpenToolKey, requestHeaders } from '../mcp/request-headers.ts';
import { RemoteAnswer, saidMark } from './answer.ts';
import type { OpenRemote } from './remote-client.ts';
import { describeRemoteFailure, RemoteFailure } from './remote-failure.ts';
import type { RemoteAsk, RemoteLink, RemoteReply } from './remote-link.ts';
import { contextKey, taskKey } from './last-answer.ts';
import { toMessage } from './to-message.ts';

export interface RemoteLinkSpec extends HeaderSources {
  /** Name of the agent. */
  readonly name: string;
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

/** Reaches a remote agent from this process by the Agent2Agent protocol. */
export function openRemoteLink(spec: RemoteLinkSpec, deps: RemoteAgentDeps): RemoteLink {
  return { ask: (ask) => new Exchange(spec, deps, ask).replies() };
}

/** One message, and its answer. */
class Exchange {
  readonly #spec: RemoteLinkSpec;
  readonly #deps: RemoteAgentDeps;
  readonly #ask: RemoteAsk;
  readonly #answer = new RemoteAnswer();

  constructor(spec: RemoteLinkSpec, deps: RemoteAgentDeps, ask: RemoteAsk) {
    this.#spec = spec;
    this.#deps = deps;
    this.#ask = ask;
  }

  async *replies(): AsyncGenerator<RemoteReply, void> {
    const ending = new AbortController();
    const deadline = AbortSignal.timeout(this.#spec.timeoutMs);
    const signal = AbortSignal.any([ending.signal, deadline, this.#ask.signal]);
    const answer = this.#answer;
    let client: Client | undefined;
    try {
      client = await this.#open(signal, (failure) => ending.abort(failure));
      const message = toMessage(this.#ask.events, this.#spec.name);
      if (message.parts.length === 0) throw new RemoteFailure('There is nothing to say to the remote agent.');
      const request = { tenant: '', message, configuration: undefined, metadata: undefined };
      for await (const piece of client.sendMessageStream(request, { signal })) {
        const parts = answer.take(piece);
        if (parts.length > 0) yield { parts, partial: true };
      }
      if (!answer.isOver) throw new RemoteFailure('The remote agent ended its answer before its task was over.');
      yield wholeOf(answer);
    } catch (error) {
      this.#ask.signal.throwIfAborted();
      yield this.#failure(ending.signal.aborted ? ending.signal.reason : error);
    } finally {
      ending.abort(new RemoteFailure('The remote agent has answered.'));
      if (this.#ask.signal.aborted || deadline.aborted) cancel(client, answer.taskId);
    }
  }

  async #open(signal: AbortSignal, onRefused: (refused: Error) => void): Promise<Client> {
    const { cardUrl, headers } = this.#spec;
    const { accountId, state } = this.#ask;
    const asked = requestHeaders(this.#spec, { accountId, url: cardUrl, state }, this.#deps.openKey);
    // A key is waited for through an outage, which may be longer than the time of the answer.
    const own = await unlessAborted(asked, signal);
    return this.#deps.openRemote({ accountId, cardUrl, headers: { ...headers, ...own }, signal, onRefused });
  }

  #failure(error: unknown): RemoteReply {
    const errorMessage = describeRemoteFailure(error);
    // Words of the remote agent may repeat secrets that it was sent.
    const [reason] = errorMessage.split(saidMark);
    this.#deps.log.warn({ agent: this.#spec.name, reason }, 'remote agent failed');
    return { errorCode: 'REMOTE_AGENT_FAILED', errorMessage };
  }
}

function wholeOf({ parts, contextId, taskId, needsInput }: RemoteAnswer): RemoteReply {
  const customMetadata = { [contextKey]: contextId, ...(needsInput && { [taskKey]: taskId }) };
  return { parts, ...(contextId !== '' && { customMetadata }) };
}

/** Tells the remote agent that nobody waits for its task any more. */
function cancel(client: Client | undefined, taskId: string): void {
  if (client === undefined || taskId === '') return;
  const request = { tenant: '', id: taskId, metadata: undefined };
  client.cancelTask(request, { signal: AbortSignal.timeout(cancelMs) }).catch(() => undefined);
}
