import type { EventJson } from '@agentmesh/proto/event';
import { type SessionJson, textOf } from '../../../caller.ts';

/** The outcome of a run for its caller: the answer, an end without one, or nothing that was certain. */
type Outcome = 'answered' | 'failed' | 'unknown';

/** Acknowledgements about one session. */
export interface Told {
  /** By the text of the message, which no other run has. */
  readonly runs: Map<string, Outcome>;
  /** Keys of the state whose change was acknowledged. */
  readonly changes: Set<string>;
}

export function newTold(): Told {
  return { runs: new Map(), changes: new Set() };
}

/** Acknowledged writes that are not stored once. */
export function* differences({ events, state }: SessionJson, told: Told): Generator<string> {
  const asked = countsOf(events.filter(({ author }) => author === 'user').map(textOf));
  const answered = countsOf(events.filter((event) => event.author !== 'user' && isAnswer(event)).map(textOf));
  for (const [text, outcome] of told.runs) {
    const answer = answerTo(text);
    if (outcome !== 'unknown' && !asked.has(text)) yield `message ${text} is lost`;
    if (outcome === 'answered' && !answered.has(answer)) yield `the answer to ${text} is lost`;
    if ((asked.get(text) ?? 0) > 1) yield `message ${text} is stored twice`;
    if ((answered.get(answer) ?? 0) > 1) yield `the answer to ${text} is stored twice`;
  }
  const changed = countsOf(events.flatMap(({ actions }) => Object.keys(actions.stateDelta)));
  for (const key of told.changes) {
    if (!Object.hasOwn(state, key)) yield `change ${key} is lost`;
    if (changed.get(key) !== 1) yield `change ${key} has ${changed.get(key) ?? 0} events`;
  }
}

function isAnswer(event: EventJson): boolean {
  return event.errorCode === undefined && textOf(event) !== '';
}

/** The echo agent repeats a message without its directives, each with a space behind it. */
export function answerTo(text: string): string {
  return text.replace(/\[\[.*?\]\] ?/g, '');
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
