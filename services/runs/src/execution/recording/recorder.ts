import { randomUUID } from 'node:crypto';
import { createEvent, type Event } from '@google/adk/core';
import { type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import { type AppendEventsResponse, AttemptEnd_Outcome, type Turn } from '@agentmesh/proto/sessions/v1';
import { type RunFacts, toPublicEvent } from '../../apps/turns/events/event-json.ts';
import { refuseChanges } from './refuse-changes.ts';
import { type AttemptUsage, createAttemptUsage } from './attempt-usage.ts';
import { createAddedMessages } from './added-messages.ts';
import { createOpenCalls, type OpenCalls, type WaitPolicy } from './open-calls.ts';
import { createUnfinishedTexts } from './unfinished-texts.ts';
import { ToldAgent } from './told-agent.ts';
import type { End, Journal } from './journal.ts';
import { raisedFailure, type Stop } from './early-end.ts';
import type { AgentRun } from '../../apps/turns/agent-run.ts';
import type { AgentSession } from '../../apps/turns/history/agent-session.ts';
import type { LiveAttempt } from '../live/live-attempt.ts';
import type { RunCost } from '../limits/run-cost.ts';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';
import type { Viewer } from '../viewer.ts';

/** Passes an attempt's events on: to its agents at once, then to the store, and from there to the viewer. */
export interface Recorder {
  /** Notes the calls and answers of the run's events before this attempt, among those of other runs. */
  noteBefore(events: readonly Event[]): void;
  /** Shows the events from now on to the agents that make them. */
  attach(run: Pick<AgentRun, 'session' | 'pathOf'>): void;
  /** Lets the agents go on only within limits. Throws LimitReached when earlier attempts have taken more; not for a takeover, which may be over. */
  limit(limits: RunLimits): void;
  /** Sets how the run waits for answers; see OpenCalls. */
  waitAs(wait: WaitPolicy): void;
  /** The agent, which the end of the attempt tells. */
  readonly agent: ToldAgent;
  /** Sends a partial event to viewers who want partial events. It is not stored. */
  partial(event: Event): void;
  /** Adds a whole event: gives it its public id and form, and shows it to the agents. The next flush stores it. */
  add(event: Event): Promise<void>;
  /**
   * Stores the added events, then sends them to the viewer. With `end`, ends the attempt in the same call; without, throws LimitReached when its limits
   * are reached. `isAhead`: the loop was asked for its next event before.
   */
  flush(end?: End, isAhead?: boolean): Promise<void>;
  /**
   * Stores the added events and ends the attempt: completed, or waiting for calls without an answer. False: it goes on, because messages were added to
   * the run that no model has seen.
   */
  complete(): Promise<boolean>;
  /** Public JSON of the attempt's events and of the messages that were added to it, in the order in which its agents see them. */
  readonly history: readonly Uint8Array[];
  /** Failure that the last event tells; see `raisedFailure`. */
  readonly failure: RaisedFailure;
  /** Number of answers of models so far. */
  readonly modelCalls: number;
  /** Ends the attempt as failed and stores an event with the error. Added events that are not stored yet are stored too, if possible. */
  fail(failure: Failure): Promise<void>;
  /**
   * Ends the attempt as cancelled or interrupted. Stores the added events, also those of an append that was refused, and for each agent that was answering an event with its text so far, marked as
   * `interrupted`; an event of `author` when there is none.
   */
  stop(author: string, stop: Stop): Promise<void>;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

type RaisedFailure = ReturnType<typeof raisedFailure>;

interface Failure {
  readonly author: string;
  readonly errorCode: string;
  readonly errorMessage: string;
}

export interface RecorderOptions {
  readonly turn: Turn;
  readonly journal: Journal;
  readonly viewer?: Viewer | undefined;
  /** Viewers in any process that did not start the run. */
  readonly live: Pick<LiveAttempt, 'partial' | 'stored'>;
  readonly costs: Pick<RunCost, 'check' | 'spent' | 'tokens'>;
}

export function createRecorder(options: RecorderOptions): Recorder {
  return new AttemptRecorder(options);
}

class AttemptRecorder implements Recorder {
  readonly agent = new ToldAgent();
  readonly history: Uint8Array[] = [];
  failure: RaisedFailure;
  readonly #options: RecorderOptions;
  readonly #facts: Writable<RunFacts>;
  readonly #openCalls: OpenCalls;
  readonly #usage: AttemptUsage;
  readonly #unfinished = createUnfinishedTexts();
  readonly #added = createAddedMessages();
  #agents: AgentSession | undefined;
  #pending: WireEvent[] = [];
  /** Events of the last append, if it failed. */
  #refused: WireEvent[] = [];

  constructor(options: RecorderOptions) {
    const { invocationId, customMetadataJson } = options.turn;
    this.#options = options;
    this.#facts = { invocationId, customMetadata: parseMetadata(customMetadataJson) };
    this.#openCalls = createOpenCalls(options.turn);
    this.#usage = createAttemptUsage(options.costs, options.turn);
  }

  noteBefore(events: readonly Event[]): void {
    const { invocationId } = this.#options.turn;
    for (const event of events) if (event.invocationId === invocationId) this.#openCalls.note(event);
  }

  attach({ session, pathOf }: Pick<AgentRun, 'session' | 'pathOf'>): void {
    this.#agents = session;
    this.#facts.pathOf = pathOf;
  }

  limit(limits: RunLimits): void {
    this.#usage.limit(limits);
    if (!this.#options.turn.isTakeover) this.#usage.check();
  }

  waitAs(wait: WaitPolicy): void {
    this.#openCalls.waitAs(wait);
  }

  get modelCalls(): number {
    return this.#usage.modelCalls;
  }

  partial(event: Event): void {
    const { viewer, live } = this.#options;
    this.#unfinished.add(event);
    const make = makeOnce(event, this.#facts);
    if (viewer?.partials === true) viewer.show(make());
    live.partial(make);
  }

  async add(event: Event): Promise<void> {
    const { turn } = this.#options;
    const agents = this.#agents;
    Object.assign(event, { id: randomUUID(), invocationId: turn.invocationId });
    this.agent.tellBy(event);
    if (agents && changesState(event)) agents.reset(refuseChanges(event, { turn, state: agents.state }));
    this.#pending.push(toWireEvent(toPublicEvent(event, this.#facts)));
    this.#openCalls.note(event);
    this.#usage.note(event);
    this.#unfinished.finish(event);
    this.failure = raisedFailure(event);
    this.#added.note(event);
    await agents?.absorb(event);
  }

  async flush(end?: End, isAhead = false): Promise<void> {
    await this.#store(end, isAhead);
  }

  async complete(): Promise<boolean> {
    const { areUnseen } = this.#added;
    const isOver = await this.#store(areUnseen ? undefined : this.#openCalls.completion());
    this.#added.reopen();
    return isOver && !areUnseen;
  }

  async fail({ author, errorCode, errorMessage }: Failure): Promise<void> {
    await this.add(createEvent({ author, errorCode, errorMessage }));
    await this.flush({ outcome: AttemptEnd_Outcome.FAILED, errorCode, errorMessage });
  }

  async stop(author: string, { outcome, ...error }: Stop): Promise<void> {
    this.#pending.unshift(...this.#refused);
    for (const event of this.#unfinished.interrupt(author, error)) await this.add(event);
    await this.flush({ outcome, ...error });
  }

  /** False when the end was not stored. */
  async #store(end?: End, isAhead = false): Promise<boolean> {
    if (this.#pending.length === 0 && end === undefined) return true;
    const { journal, viewer, live } = this.#options;
    const events = this.#pending;
    this.#pending = [];
    this.#refused = events;
    const answer = await journal.append(events, end && this.#close(end));
    this.#refused = [];
    this.#hear(answer, events, isAhead);
    for (const event of events) viewer?.show(event);
    if (events.length > 0) live.stored(journal.lastSeq);
    if (end === undefined) this.#usage.check();
    else if (end.outcome === AttemptEnd_Outcome.WAITING && !answer.goesOn) viewer?.waiting('answer');
    return !answer.goesOn;
  }

  #close(end: End): End {
    const agentJson = this.agent.json;
    const { isPlain } = this.#options.turn;
    return { ...end, ...this.#usage.used(), ...(agentJson && { agentJson }), isPlain };
  }

  /** Shows the agents what others have stored. */
  #hear({ stateDeltasJson, messagesJson }: AppendEventsResponse, events: readonly WireEvent[], isAhead: boolean): void {
    this.history.push(...events.map(({ json }) => json), ...messagesJson);
    this.#agents?.applyDeltas(stateDeltasJson, stateDeltasOf(events));
    if (messagesJson.length === 0) return;
    this.#added.came(isAhead);
    this.#agents?.addMessages(messagesJson);
  }
}

/** Makes the public form of a partial event when it is first asked for. */
function makeOnce(event: Event, facts: RunFacts): () => WireEvent {
  let made: WireEvent | undefined;
  return () => {
    made ??= toWireEvent(toPublicEvent(Object.assign(event, { id: randomUUID() }), facts));
    return made;
  };
}

function changesState({ actions }: Event): boolean {
  return Object.keys(actions.stateDelta).length > 0;
}

function stateDeltasOf(events: readonly WireEvent[]): Uint8Array[] {
  return events.map(({ stateDeltaJson }) => stateDeltaJson);
}

function parseMetadata(json: Uint8Array): JsonObject | undefined {
  return json.length === 0 ? undefined : (parseExactly(new TextDecoder().decode(json)) as JsonObject);
}
