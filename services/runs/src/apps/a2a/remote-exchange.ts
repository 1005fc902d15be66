import { randomUUID } from 'node:crypto';
import type { Message, StreamResponse } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { isJsonRpcError, isRestError } from '@a2a-js/sdk/errors';
import type { Logger } from '@agentmesh/lib/telemetry';
import { unlessAborted } from '@agentmesh/lib/wait';
import { tellRun } from '../../tell-run.ts';
import { type HeaderSources, type OpenToolKey, requestHeaders } from '../mcp/request-headers.ts';
import { RemoteAnswer, saidMark } from './answer.ts';
import type { OpenRemote } from './remote-client.ts';
import { describeRemoteFailure, RemoteFailure, RemoteTaskFailed } from './remote-failure.ts';
import type { RemoteAsk, RemoteReply } from './remote-link.ts';
import { contextKey, questionName, taskKey } from './last-answer.ts';
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

/** One message to a remote agent, and its answer. */
export class RemoteExchange {
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
      for await (const piece of send(client, message, signal)) {
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
    tellRun({ level: 'error', message: `The remote agent ${this.#spec.name} has failed: ${reason}` });
    const failure = { errorCode: 'REMOTE_AGENT_FAILED', errorMessage };
    if (!(error instanceof RemoteTaskFailed)) return failure;
    // The next message begins a task in the same conversation.
    return { ...failure, ...placeOf({ contextId: this.#answer.contextId }) };
  }
}

/** Streams the answer to a message. A task to which the agent adds no message any more is left: the message begins another one of the conversation. */
async function* send(client: Client, message: Message, signal: AbortSignal): AsyncGenerator<StreamResponse, void> {
  const requestOf = (sent: Message) => ({ tenant: '', message: sent, configuration: undefined, metadata: undefined });
  try {
    yield* client.sendMessageStream(requestOf(message), { signal });
  } catch (error) {
    if (message.taskId === '' || !(isJsonRpcError(error) || isRestError(error))) throw error;
    yield* client.sendMessageStream(requestOf({ ...message, taskId: '' }), { signal });
  }
}

/** An answer that asks for input is a call too, which waits for the user's answer. */
function wholeOf({ parts, contextId, taskId, needsInput }: RemoteAnswer): RemoteReply {
  if (!needsInput) return { parts, ...placeOf({ contextId }) };
  const id = `adk-${randomUUID()}`;
  const message = parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join('');
  const functionCall = { id, name: questionName, args: { message } };
  return { parts: [...parts, { functionCall }], longRunningToolIds: [id], ...placeOf({ contextId, taskId }) };
}

/** Metadata of an event by which the conversation goes on, and the task that waits for input. */
function placeOf({ contextId, taskId }: { contextId: string; taskId?: string }): Pick<RemoteReply, 'customMetadata'> {
  if (contextId === '') return {};
  return { customMetadata: { [contextKey]: contextId, ...(taskId !== undefined && { [taskKey]: taskId }) } };
}

/** Tells the remote agent that nobody waits for its task any more. */
function cancel(client: Client | undefined, taskId: string): void {
  if (client === undefined || taskId === '') return;
  const request = { tenant: '', id: taskId, metadata: undefined };
  client.cancelTask(request, { signal: AbortSignal.timeout(cancelMs) }).catch(() => undefined);
}
