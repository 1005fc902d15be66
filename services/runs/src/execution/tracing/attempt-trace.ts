import type { EndedSpan, SeenSpan } from '@agentmesh/lib/spans';
import type { EventJson } from '@agentmesh/proto/event';
import type { Event, Turn } from '@agentmesh/proto/sessions/v1';
import { type RunLine, RunWatcher } from '../../tell-run.ts';

/** Most spans of one attempt that are kept. */
const mostSpans = 400;
/** Events carry milliseconds, spans nanoseconds. */
const slackNs = 1e6;

type MadeEvent = Pick<Event, 'id' | 'author' | 'timestamp' | 'json'>;

interface NotedEvent {
  readonly id: string;
  readonly author: string;
  readonly timeNs: number;
  /** Calls that it answers. */
  readonly answers: ReadonlySet<string>;
}

/** A span with the id of the event that was made in it; empty without one. */
export type TracedSpan = EndedSpan & { readonly eventId: string };

/** Takes the lines of attempts while they are at work. */
export interface LineSink {
  add(turn: Turn, line: RunLine): void;
  /** Counts lines that somebody else has left out. */
  leaveOut(turn: Turn, lines: number): void;
}

/** The spans of one attempt and the events that were made in them, which passes its lines on. ADK's own spans have neither our event ids nor our times. */
export class AttemptTrace extends RunWatcher {
  /** The spans in the order of their ends. */
  readonly seen: SeenSpan[] = [];
  readonly #events: MadeEvent[] = [];
  readonly #turn: Turn;
  #lines: LineSink | undefined;

  constructor(turn: Turn, lines?: LineSink) {
    super();
    this.#turn = turn;
    this.#lines = lines;
  }

  tell(line: RunLine): void {
    this.#lines?.add(this.#turn, line);
  }

  leaveOut(lines: number): void {
    this.#lines?.leaveOut(this.#turn, lines);
  }

  /** The attempt is over: what code that goes on says is not heard any more. */
  end(): void {
    this.#lines = undefined;
  }

  add(span: SeenSpan): void {
    if (this.seen.length === mostSpans) this.seen.shift();
    this.seen.push(span);
  }

  /** Events may be noted again: an append is tried until it succeeds. */
  note(events: readonly MadeEvent[]): void {
    for (const event of events) if (!this.#events.some(({ id }) => id === event.id)) this.#events.push(event);
  }

  /** Every span with the id of the event that was made in it, in the order of their ends. */
  spans(): TracedSpan[] {
    const free = new Set(this.#events.map(toNoted));
    return this.seen.map((one) => {
      const span = one.ended();
      const made = [...free].find((event) => isMadeIn(event, span));
      if (made !== undefined) free.delete(made);
      return { ...span, eventId: made?.id ?? '' };
    });
  }
}

function isMadeIn(
  { author, timeNs, answers }: NotedEvent,
  { name, attributes, startTime, endTime }: EndedSpan,
): boolean {
  const call = attributes['gen_ai.tool.call.id'];
  if (typeof call === 'string') return answers.has(call);
  if (name !== 'call_llm' || answers.size > 0 || attributes['gen_ai.agent.name'] !== author) return false;
  return timeNs >= startTime - slackNs && timeNs <= endTime + slackNs;
}

function toNoted({ id, author, timestamp, json }: MadeEvent): NotedEvent {
  return { id, author, timeNs: timestamp * 1e9, answers: answersIn(json) };
}

const none: ReadonlySet<string> = new Set();

function answersIn(json: Uint8Array): ReadonlySet<string> {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!text.includes('"functionResponse"')) return none;
  const { content } = JSON.parse(text.toString()) as EventJson;
  const parts = (content?.parts ?? []) as { functionResponse?: { id?: string } }[];
  return new Set(parts.map(({ functionResponse }) => functionResponse?.id ?? ''));
}
