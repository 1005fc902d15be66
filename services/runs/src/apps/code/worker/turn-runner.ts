import { randomUUID } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import { type EndedSpan, watchSpans } from '@agentmesh/lib/spans';
import {
  type BasePlugin,
  type Event,
  InvocationContext,
  isBaseAgent,
  isFinalResponse,
  PluginManager,
  StreamingMode,
} from '@google/adk/core';
import { agentForTurn } from '../../turns/agent-for-turn.ts';
import { countModelCalls } from '../../turns/count-model-calls.ts';
import { agentPath } from '../../turns/events/agent-path.ts';
import { fromPublicEvent, hasCalls, parseMessage } from '../../turns/events/event-json.ts';
import { createTurnSession, type TurnSession } from '../../turns/history/turn-session.ts';
import { noteContext } from '../../../models/use/model-caller.ts';
import { type CodeError, mostSpans, type RunRequest } from '../protocol.ts';
import type { Channel } from './channel.ts';
import { checkSize } from './check-size.ts';
import { withinRun } from './current-run.ts';
import { createHostServices } from './host-services.ts';
import { placeOfError } from './loading/place-of-error.ts';
import type { RunConsole } from './run-console.ts';
import { runRoot } from './run-root.ts';
import type { Root } from './loading/root.ts';
import { textsOfError } from './texts-of-error.ts';

export interface RunnerDeps {
  /** Name of the app. */
  readonly folder: string;
  readonly channel: Channel;
  readonly root: Root;
  readonly plugins: readonly BasePlugin[];
  readonly printing: Pick<RunConsole, 'end'>;
}

/** Most events that the host has not read. */
const mostUnread = 64;

/** One run in this worker. */
export class TurnRunner {
  readonly #deps: RunnerDeps;
  readonly #request: RunRequest;
  readonly #session: TurnSession;
  readonly #working = new AbortController();
  #asked = Promise.withResolvers<Event | undefined>();
  #hasSentLast = false;
  readonly #spans: EndedSpan[] = [];
  /** Events for which the host was not waited for. */
  #unread = 0;

  constructor(deps: RunnerDeps, request: RunRequest) {
    this.#deps = deps;
    this.#request = request;
    const { key, stateJson, events, invocationId } = request;
    this.#session = createTurnSession(
      { session: key, stateJson, invocationId },
      events.map((event) => (event instanceof Uint8Array ? fromPublicEvent(event) : event)),
    );
  }

  /** Runs the agents to their end. Never rejects: the host is told. */
  async run(): Promise<void> {
    const { run } = this.#request;
    const { channel } = this.#deps;
    try {
      const work = () => withinRun(run, () => this.#drive());
      await (this.#request.isTraced ? watchSpans((span) => this.#spans.push(span), work) : work());
      // The host ends the run with its last event.
      if (this.#hasSentLast) return;
      this.#tellSeen();
      channel.tell({ kind: 'done', run });
    } catch (error) {
      this.#tellSeen();
      channel.tell({ kind: 'done', run, error: errorOf(error, this.#deps.folder) });
    } finally {
      this.#working.abort();
    }
  }

  /** The host has stored the last event and asks for more. `absorbed`: the event as the host has changed it. */
  next(absorbed?: Event): void {
    this.#asked.resolve(absorbed);
  }

  reset(keys: readonly string[]): void {
    this.#session.reset(keys);
  }

  applyDeltas(others: readonly Uint8Array[], own: readonly Uint8Array[]): void {
    this.#session.applyDeltas(others, own);
  }

  addMessages(messages: readonly Uint8Array[]): void {
    this.#session.addMessages(messages);
  }

  abort(): void {
    this.#working.abort();
    this.next();
  }

  async #drive(): Promise<void> {
    const loop = this.#openLoop();
    try {
      let step = await loop.next();
      while (step.done !== true && !this.#working.signal.aborted) {
        const event = this.#placed(step.value);
        checkSize(event);
        if (event.partial === true) {
          await this.#show(event);
          step = await loop.next();
          continue;
        }
        event.id = randomUUID();
        step = await this.#pass(event, loop);
      }
    } finally {
      await loop.return();
    }
  }

  /** With the path of its agent in the app, which the host does not know. */
  #placed(event: Event): Event {
    const { root } = this.#deps;
    if (event.author && isBaseAgent(root)) event.nodeInfo ??= { path: agentPath(root, event.author) };
    return event;
  }

  /** Tells what the host is to know before the end of the run. */
  #tellSeen(): void {
    const { run, isTraced } = this.#request;
    this.#deps.printing.end(run);
    if (isTraced) this.#deps.channel.tell({ kind: 'spans', run, spans: this.#spans.splice(0).slice(-mostSpans) });
  }

  /** Sends a partial event. The host must have read the ones before, so that it is never flooded. */
  async #show(event: Event): Promise<void> {
    const waits = this.#isFull();
    this.#asked = Promise.withResolvers();
    this.#deps.channel.tell({ kind: 'event', run: this.#request.run, event, waits, last: false });
    if (waits) await this.#asked.promise;
  }

  /** Sends a whole event and returns the loop's next step, once the host has stored what must be stored before it. */
  async #pass(event: Event, loop: AsyncGenerator<Event, void, void>): Promise<IteratorResult<Event, void>> {
    const { channel } = this.#deps;
    const { run } = this.#request;
    this.#asked = Promise.withResolvers();
    if (event.errorCode || !isFinalResponse(event) || hasCalls(event)) {
      channel.tell({ kind: 'event', run, event, waits: true, last: false });
      await this.#session.absorb((await this.#asked.promise) ?? event);
      return loop.next();
    }
    await this.#session.absorb(event);
    const next = loop.next();
    const last = await endsAtOnce(next);
    this.#hasSentLast = last;
    if (last) this.#tellSeen();
    const waits = !last && this.#isFull();
    channel.tell({ kind: 'event', run, event, waits, last });
    if (waits) await this.#asked.promise;
    return next;
  }

  /** Counts an event, and says whether the host must read those before the next one. */
  #isFull(): boolean {
    this.#unread += 1;
    return this.#unread % mostUnread === 0;
  }

  #openLoop(): AsyncGenerator<Event, void, void> {
    const { root, plugins, channel } = this.#deps;
    const { invocationId, streaming, messageJson, run, maxModelCalls, isTakeover } = this.#request;
    const { session, service } = this.#session;
    const context = new InvocationContext({
      invocationId,
      ...(isBaseAgent(root) && { agent: agentForTurn(session.events, root) }),
      session,
      sessionService: service,
      ...createHostServices(channel, run, this.#working.signal),
      pluginManager: new PluginManager([...plugins]),
      runConfig: { maxLlmCalls: maxModelCalls, streamingMode: streaming ? StreamingMode.SSE : StreamingMode.NONE },
      abortSignal: this.#working.signal,
      ...(messageJson.length > 0 && { userContent: parseMessage(messageJson) }),
    });
    noteContext(context);
    countModelCalls(context, this.#request.earlierModelCalls);
    return runRoot(root, context, isTakeover);
  }
}

/** The error with the place in the app's folder that threw it. */
function errorOf(error: unknown, folder: string): CodeError {
  const { name, message } = textsOfError(error);
  const { file, at } = placeOfError(error, folder, '');
  return { name, message: at === undefined ? message : `${message} (${file}:${at.line}:${at.column})` };
}

/** Whether the loop ends within two turns of the event loop, so that its end can be stored with the last event. */
async function endsAtOnce(next: Promise<IteratorResult<Event, void>>): Promise<boolean> {
  let done = false;
  next.then(
    (step) => {
      done = step.done === true;
    },
    () => undefined,
  );
  await immediate();
  if (!done) await immediate();
  return done;
}
