import { randomUUID } from 'node:crypto';
import { createEvent, type Event } from '@google/adk';
import { type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import { AttemptEnd_Outcome, type Turn } from '@agentmesh/proto/sessions/v1';
import { type RunFacts, toPublicEvent } from '../events/event-json.ts';
import { refuseChanges } from './refuse-changes.ts';
import { createAttemptUsage } from './attempt-usage.ts';
import { createOpenCalls } from './open-calls.ts';
import { createUnfinishedTexts } from './unfinished-texts.ts';
import type { End, Journal } from './journal.ts';
import type { Stop } from './stop.ts';
import type { AgentSession } from '../agent-run.ts';
import type { LiveAttempt } from '../live/live-attempt.ts';
import type { RunLimits } from '../limits/run-limits.ts';
import type { Viewer } from '../viewers/viewer.ts';

/** Passes an attempt's events on: to its agents at once, then to the store, and from there to the viewer. */
export interface Recorder {
  /** Shows the events from now on to the agents that make them. */
  attach(session: AgentSession): void;
  /** Lets the agents go on only within limits. */
  limit(limits: RunLimits): void;
  /** Sends a partial event to viewers who want partial events. It is not stored. */
  partial(event: Event): void;
  /** Adds a whole event: gives it its public id and form, and shows it to the agents. The next flush stores it. */
  add(event: Event): Promise<void>;
  /** Stores the added events, then sends them to the viewer. With `end`, ends the attempt in the same call; without, throws LimitReached when its limits are reached. */
  flush(end?: End): Promise<void>;
  /** Stores the added events and ends the attempt: completed, or waiting for calls without an answer. */
  complete(): Promise<void>;
  /** Ends the attempt as failed and stores an event with the error. Added events that are not stored yet are stored too, if possible. */
  fail(failure: { author: string; errorCode: string; errorMessage: string }): Promise<void>;
  /**
   * Ends the attempt as cancelled or interrupted. Stores the added events, also those of an append that was refused, and for each agent that was answering an event with its text so far, marked as
   * `interrupted`; an event of `author` when there is none.
   */
  stop(author: string, stop: Stop): Promise<void>;
}

export interface RecorderOptions {
  readonly turn: Turn;
  readonly journal: Journal;
  readonly viewer?: Viewer | undefined;
  /** Viewers in any process that did not start the run. */
  readonly live: Pick<LiveAttempt, 'partial' | 'stored'>;
}

export function createRecorder({ turn, journal, viewer, live }: RecorderOptions): Recorder {
  const facts: RunFacts = { invocationId: turn.invocationId, customMetadata: parseMetadata(turn.customMetadataJson) };
  let agents: AgentSession | undefined;
  const [openCalls, usage, unfinished] = [createOpenCalls(turn), createAttemptUsage(), createUnfinishedTexts()];
  let [pending, refused]: [WireEvent[], WireEvent[]] = [[], []]; // `refused`: of the last append, if it failed

  const add = async (event: Event): Promise<void> => {
    Object.assign(event, { id: randomUUID(), invocationId: turn.invocationId });
    if (agents && changesState(event)) agents.reset(refuseChanges(event, { turn, state: agents.state }));
    pending.push(toWireEvent(toPublicEvent(event, facts)));
    openCalls.note(event);
    usage.note(event);
    unfinished.finish(event);
    await agents?.absorb(event);
  };
  const flush = async (end?: End): Promise<void> => {
    if (pending.length === 0 && end === undefined) return;
    const events = pending;
    pending = [];
    refused = events;
    const { stateDeltasJson } = await journal.append(events, end && { ...end, ...usage.used() });
    refused = [];
    agents?.applyDeltas(stateDeltasJson, stateDeltasOf(events));
    for (const event of events) viewer?.show(event);
    if (events.length > 0) live.stored(journal.lastSeq);
    if (end === undefined) usage.check();
  };
  return {
    attach: (session) => void (agents = session),
    limit: usage.limit,
    add,
    flush,
    partial(event) {
      unfinished.add(event);
      const make = makeOnce(event, facts);
      if (viewer?.partials === true) viewer.show(make());
      live.partial(make);
    },
    complete: () => flush(openCalls.completion()),
    async fail({ author, errorCode, errorMessage }) {
      await add(createEvent({ author, errorCode, errorMessage }));
      await flush({ outcome: AttemptEnd_Outcome.FAILED, errorCode, errorMessage });
    },
    async stop(author, { outcome, ...error }) {
      pending.unshift(...refused);
      for (const event of unfinished.interrupt(author, error)) await add(event);
      await flush({ outcome, ...error });
    },
  };
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
