import { randomUUID } from 'node:crypto';
import type { Failure } from '@agentmesh/proto/runs/v1';
import type { WebSocket } from 'ws';
import { bytesOfValue, type Pace } from '../../edge/pace.ts';
import { HttpError, InvalidRequest } from '../../edge/errors/request-error.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { measureJson } from '../../edge/json/json-bounds.ts';
import { parseJsonBody } from '../../edge/json/json-text.ts';
import { requestCheck } from '../../edge/validation/index.ts';
import type { AcceptedRun } from '../open-run.ts';
import { type Ending, endings, ofFailure, ofInvalidMessage, ofRefusal } from './close-reason.ts';
import { Inbox, type InboxLimits, type Received } from './inbox.ts';
import { LiveRequest } from './live-record.ts';
import { Outbox } from './outbox.ts';

type Content = NonNullable<LiveRequest['content']>;

export interface ConversationOptions extends Omit<InboxLimits, 'onFull'> {
  /** Returns the name of the app's root agent. Fails if the connection is not allowed. */
  readonly admit: () => Promise<string>;
  /** Called before each message. Fails if the connection's credential is no longer valid. */
  readonly recheck: () => Promise<void>;
  /** Starts the run of a message. */
  readonly open: (message: Content) => Promise<AcceptedRun>;
  /** Receives unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Time in which a client takes the reason why it is given up. */
const givingUpMs = 1_000;

const checkRequest = requestCheck(LiveRequest, 'body');

/** Conversation over one socket. Each message starts a run, and its events are sent before the next message is read. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  #run: AcceptedRun | undefined;
  #isDraining = false;
  #isBusy = true;

  /** Listens immediately; `start` begins to answer. */
  constructor(socket: WebSocket, options: ConversationOptions) {
    this.#options = options;
    this.#inbox = new Inbox(socket, { ...options, onFull: () => this.#giveUp(socket) });
    this.#outbox = new Outbox(socket);
    socket.once('close', () => {
      this.#inbox.close();
      // The viewer has disconnected. The run continues.
      this.#run?.leave();
    });
  }

  /** Resolves when the connection has ended. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.#converse(await this.#options.admit());
    } catch (error) {
      this.#end(this.#seen(error, ofRefusal));
    }
  }

  async #converse(author: string): Promise<void> {
    for (;;) {
      if (this.#isDraining) return this.#end(endings.draining);
      this.#isBusy = false;
      const received = await this.#inbox.next();
      this.#isBusy = true;
      if (received === undefined) return;
      const ending = await this.#answer(received, author);
      if (ending !== undefined) return this.#end(ending);
    }
  }

  /** Ends the connection after the present run. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#isBusy) this.#end(endings.draining);
  }

  /** Ends the connection at once, since its credential was revoked. */
  revoke(): void {
    this.#end(endings.revoked);
  }

  /** Ends a connection for whose messages there is no room. The rest of a message is not read. */
  #giveUp(socket: WebSocket): void {
    this.#end(endings.noRoom);
    socket.pause();
    setTimeout(() => socket.terminate(), givingUpMs);
  }

  #end(ending: Ending): void {
    this.#inbox.close();
    this.#outbox.close(ending);
  }

  /** Ending that a message leads to; undefined to continue with the next message. */
  async #answer(received: Received, author: string): Promise<Ending | undefined> {
    const request = readRequest(received, this.#options.pace);
    if ('code' in request) return request;
    if (request.blob || request.activityStart || request.activityEnd) return endings.noLiveModel;
    if (request.close) return endings.asked;
    if (!request.content) return undefined;
    try {
      await this.#options.recheck();
    } catch (error) {
      return this.#seen(error, ofRefusal);
    }
    try {
      await this.#show(request.content, author);
      return undefined;
    } catch (error) {
      return this.#outbox.isOpen ? this.#seen(error, ofFailure) : undefined;
    }
  }

  async #show(message: Content, author: string): Promise<void> {
    const run = await this.#options.open(message);
    this.#run = run;
    try {
      if (!this.#outbox.isOpen) return run.leave();
      for await (const { kind } of run.answers) {
        if (kind.case === 'moved') await run.follow(kind.value);
        if (kind.case === 'failure' && !kind.value.isTold) throw failureOf(kind.value);
        if (kind.case === 'event') await this.#outbox.send(kind.value.json, kind.value.partial);
      }
      await this.#outbox.send(turnComplete(run.invocationId, author), false);
    } catch (error) {
      run.leave();
      throw error;
    } finally {
      this.#run = undefined;
    }
  }

  #seen(error: unknown, toEnding: (error: unknown) => Ending): Ending {
    this.#options.onError(error);
    return toEnding(error);
  }
}

function readRequest({ data, isBinary }: Received, pace: Pace): LiveRequest | Ending {
  if (isBinary) return endings.notText;
  try {
    const size = measureJson(data);
    pace.take(size.values * bytesOfValue);
    const outcome = checkRequest(parseJsonBody(data, size));
    if ('issues' in outcome) throw new InvalidRequest(outcome.issues);
    return outcome.value as LiveRequest;
  } catch (error) {
    return ofInvalidMessage(error);
  }
}

function failureOf({ type, message }: Failure): HttpError {
  return new HttpError(500, `${type}: ${message}`);
}

/** Last event of a message, as live connections send it. It is not stored. */
function turnComplete(invocationId: string, author: string): Uint8Array {
  return encodeJson({
    id: randomUUID(),
    author,
    invocationId,
    timestamp: Date.now() / 1000,
    turnComplete: true,
    actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
    nodeInfo: { path: '' },
  });
}
