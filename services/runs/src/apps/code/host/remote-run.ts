import { AsyncLocalStorage } from 'node:async_hooks';
import { areSpansWatched, showSpans } from '@agentmesh/lib/spans';
import type { Event } from '@google/adk/core';
import type { AgentRun, AgentRunOptions, EventLoop } from '../../turns/agent-run.ts';
import type { RunRequest, WorkerMessage } from '../protocol.ts';
import { leaveOutOfRun, tellRun } from '../../../tell-run.ts';
import { answerCall, type HostParts } from './answer-call.ts';
import type { CodeWorker, RunSide } from './code-worker.ts';
import { plainSpan } from './plain-span.ts';
import { RemoteSession } from './remote-session.ts';
import type { WorkerKeeper } from './worker-keeper.ts';

type Step = IteratorResult<Event, void>;
type RunMessage = Extract<WorkerMessage, { run: number }>;

const over: Step = { done: true, value: undefined };

/** Most calls of a run that are under way: of models, artifacts, servers and the like. */
const mostCalls = 256;

/** The host's end of a run whose agents are in a worker. */
export class RemoteRun implements AgentRun, RunSide {
  readonly loop: EventLoop;
  readonly session: RemoteSession;
  readonly facts: RunSide['facts'];
  readonly #options: AgentRunOptions;
  readonly #keeper: WorkerKeeper;
  readonly #parts: HostParts;
  /** Calls of code belong to the run's trace. */
  readonly #inRun = AsyncLocalStorage.snapshot();
  readonly #steps: Step[] = [];
  readonly #calls = new Map<number, AbortController>();
  #worker: CodeWorker | undefined;
  #run = 0;
  #waiting: PromiseWithResolvers<Step> | undefined;
  #failure: Error | undefined;
  /** The worker waits for this process to store its last event. */
  #isAsked = false;

  constructor(keeper: WorkerKeeper, parts: HostParts, options: AgentRunOptions) {
    this.#options = options;
    this.facts = { invocationId: options.turn.invocationId, sessionId: options.turn.session?.sessionId ?? '' };
    this.#keeper = keeper;
    this.#parts = parts;
    this.loop = { next: () => this.#next(), return: () => this.#leave() };
    this.session = new RemoteSession(options.turn, (change) => this.#worker?.tell({ ...change, run: this.#run }));
    keeper.worker().then(
      (found) => this.#begin(found),
      (error: unknown) => this.fail(error instanceof Error ? error : new Error(String(error))),
    );
  }

  take(message: RunMessage): void {
    if (message.kind === 'event') {
      this.#isAsked ||= message.waits;
      this.#push({ done: false, value: message.event });
      if (message.last) this.#push(over);
    }
    if (message.kind !== 'event' && message.kind !== 'done') this.#inRun(() => this.#hear(message));
    if (message.kind !== 'done') return;
    if (message.error === undefined) this.#push(over);
    else this.fail(Object.assign(new Error(message.error.message), { name: message.error.name }));
  }

  #hear(message: RunMessage): void {
    if (message.kind === 'spans') showSpans(message.spans.map(plainSpan));
    if (message.kind === 'call') void this.#answer(message);
    if (message.kind === 'missing') this.#options.missing?.noteMissing({ name: message.name, reason: message.reason });
    if (message.kind === 'print') tellRun({ level: message.level, message: message.text, source: 'app' });
    if (message.kind === 'unprinted') leaveOutOfRun(message.lines);
    if (message.kind !== 'fault') return;
    const { tool, name, message: text, stack } = message;
    const attributes = { tool, ...(stack !== '' && { stack }) };
    tellRun({ level: 'error', message: `The tool ${tool} has failed: ${name}: ${text}`, attributes });
  }

  drop(call: number): void {
    this.#calls.get(call)?.abort();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #begin(worker: CodeWorker): void {
    const { signal } = this.#options;
    if (signal.aborted || this.#failure !== undefined) return;
    this.#worker = worker;
    this.#run = worker.add(this);
    signal.addEventListener('abort', () => worker.tell({ kind: 'abort', run: this.#run }), { once: true });
    worker.tell(requestOf(this.#run, this.#options));
  }

  #next(): Promise<Step> {
    if (this.#isAsked && this.#steps.length === 0) {
      this.#isAsked = false;
      const absorbed = this.session.takeAbsorbed();
      this.#worker?.tell({ kind: 'next', run: this.#run, ...(absorbed && { absorbed }) });
    }
    const step = this.#steps.shift();
    if (step !== undefined) return Promise.resolve(step);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  #push(step: Step): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#steps.push(step);
    else waiting.resolve(step);
  }

  #leave(): Promise<Step> {
    this.#worker?.tell({ kind: 'abort', run: this.#run });
    this.#end();
    return Promise.resolve(over);
  }

  #end(): void {
    this.#worker?.remove(this.#run);
    for (const call of this.#calls.values()) call.abort();
    this.#keeper.left(this.#failure !== undefined);
  }

  #refuse(call: number, message: string): void {
    this.#worker?.tell({ kind: 'reply', call, outcome: { error: { name: 'Error', message } } });
  }

  async #answer({ call, request }: Extract<RunMessage, { kind: 'call' }>): Promise<void> {
    if (this.#calls.size >= mostCalls) return this.#refuse(call, 'Too many calls of this run are under way.');
    const dropping = new AbortController();
    this.#calls.set(call, dropping);
    const signal = AbortSignal.any([dropping.signal, this.#options.signal]);
    const onChunk = (piece: object): void => this.#worker?.tell({ kind: 'chunk', call, piece });
    const asked = answerCall(request, { ...this.#parts, run: this.#options, signal, onChunk });
    const outcome = await asked.then(
      (value) => ({ value }),
      (error: unknown) => {
        const { name, message } = error instanceof Error ? error : new Error(String(error));
        return { error: { name, message } };
      },
    );
    this.#calls.delete(call);
    this.#worker?.tell({ kind: 'reply', call, outcome });
  }
}

function requestOf(run: number, options: AgentRunOptions): RunRequest {
  const { turn, window, maxModelCalls, earlierModelCalls = 0 } = options;
  const { session, invocationId, stateJson, messageJson, streaming, isTakeover } = turn;
  const { accountId = '', appName = '', userId = '', sessionId = '' } = session ?? {};
  const key = { accountId, appName, userId, sessionId };
  const events = window.events.map(({ json }) => json);
  const content = { stateJson, events, messageJson, streaming, maxModelCalls, earlierModelCalls, isTakeover };
  return { kind: 'run', run, invocationId, key, ...content, isTraced: areSpansWatched() };
}
