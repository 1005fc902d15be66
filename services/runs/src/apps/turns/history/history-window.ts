import type { Event } from '@google/adk/core';
import type { WireEvent } from '@agentmesh/proto/event';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import { fromPublicEvent } from '../events/event-json.ts';
import { isAddedToRun } from './added-to-run.ts';
import { hasPartOfTool } from './parts-of-tools.ts';

/** Recent events of a session as agents see them: without gaps, from the start of a user's turn on. Immutable. */
export interface HistoryWindow {
  readonly sessionPk: bigint;
  /** Turn.timeline of the turn that it was made for. */
  readonly timeline: string;
  /** Sequence of the last event. */
  readonly lastSeq: number;
  readonly events: readonly HistoryEvent[];
}

/** A window for the next turn of its session. */
export interface KeptWindow extends HistoryWindow {
  /** Id of the last event. */
  readonly lastId: string;
  /** Its time in Unix seconds; 0 when the turn has added none. */
  readonly lastTime: number;
}

/** One event: its public JSON, and ADK's form from its first use by an agent of this process until its turn is over. */
export class HistoryEvent {
  readonly turnStart: boolean;
  readonly json: Uint8Array;
  /** True for a message that was added to a run. Known with ADK's form: each run asks this of all its events. */
  isAdded = false;
  /** True for one with a call of a tool or a response to one. Known likewise. */
  hasTools = false;
  #event: Event | undefined;

  constructor(json: Uint8Array, turnStart: boolean) {
    this.turnStart = turnStart;
    // A view would keep the whole message or pool that it is a part of. `slice` of a Buffer would be such a view.
    this.json = json.buffer.byteLength > 2 * json.length ? new Uint8Array(json) : json;
  }

  get event(): Event {
    if (this.#event === undefined) {
      this.#event = fromPublicEvent(this.json);
      this.isAdded = isAddedToRun(this.#event);
      this.hasTools = hasPartOfTool(this.#event);
    }
    return this.#event;
  }

  /** Forgets ADK's form, which takes many times the memory of the JSON. */
  settle(): void {
    this.#event = undefined;
  }
}

/** Most events of a window, even if its last turn is longer. */
const maxEvents = 2000;

/**
 * Returns the window of a turn: the cached events, then those that the turn brought. It is cut like a window that is read
 * completely: `limit` events before the turn's own, and back to the start of a user's turn.
 */
export function openWindow(turn: Turn, known: HistoryWindow | undefined, limit: number): HistoryWindow {
  const { sessionPk, timeline, lastSeq, knownSeq } = turn;
  const firstSeq = lastSeq - turn.events.length + 1;
  const starts = new Set(turn.turnStarts);
  const fresh = turn.events.map((json, index) => new HistoryEvent(json, starts.has(firstSeq + index)));
  if (knownSeq === 0) return { sessionPk, timeline, lastSeq, events: fresh };
  if (known?.lastSeq !== knownSeq) throw new Error('The sessions service took as known what is not.');
  return { sessionPk, timeline, lastSeq, events: recentOf([...known.events, ...fresh], limit) };
}

/** Returns the window with the events that its turn has added. */
export function extendWindow(window: HistoryWindow, added: readonly WireEvent[]): KeptWindow {
  const events = [...window.events, ...added.map(({ json }) => new HistoryEvent(json, false))];
  const lastId = added.at(-1)?.id ?? events.at(-1)?.event.id ?? '';
  return {
    sessionPk: window.sessionPk,
    timeline: window.timeline,
    lastSeq: window.lastSeq + added.length,
    lastId,
    lastTime: added.at(-1)?.timestamp ?? 0,
    events,
  };
}

/** The last of `events` is the event of the turn itself. */
function recentOf(events: readonly HistoryEvent[], limit: number): readonly HistoryEvent[] {
  const own = events.length - 1;
  const oldest = own - limit;
  if (oldest <= 0) return events;
  const next = events.findIndex((event, index) => index >= oldest && index < own && event.turnStart);
  const start = next === -1 ? events.findLastIndex((event, index) => index < oldest && event.turnStart) : next;
  return events.slice(Math.max(start, own - maxEvents, 0));
}
