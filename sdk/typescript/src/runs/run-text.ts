import { type Event, textOf } from '../records.ts';
import type { RunEvent } from './run-log.ts';

/** Returns a function that answers the new text of each event, so that the pieces together are what the agents have said, each word once. */
export function createTextReader(): (event: RunEvent) => string {
  /** The part of the message in progress that was answered, by agent. */
  const said = new Map<string, string>();
  const isTold = createGapWatch();
  return (event) => {
    if (!isTold(event) || event.author === 'user') return '';
    const [speaker, text] = [speakerOf(event), textOf(event)];
    const before = said.get(speaker) ?? '';
    if (event.partial === true) {
      said.set(speaker, before + text);
      return text;
    }
    said.delete(speaker);
    return restOf(text, before) ?? text;
  };
}

/**
 * Returns a function that tells of each event, in order, whether its words can be told. Behind a gap it is not known which words of an agent are missing before its
 * next whole event, which has them.
 */
export function createGapWatch(): (event: RunEvent) => event is Event {
  /** Agents that have said something whole since the newest gap; undefined before the first one. */
  let sinceGap: Set<string> | undefined;
  return (event): event is Event => {
    if (event.gap !== undefined) {
      sinceGap = new Set();
      return false;
    }
    if (event.partial !== true) sinceGap?.add(speakerOf(event));
    return sinceGap?.has(speakerOf(event)) !== false;
  };
}

/** The words of a whole text behind those that were said before. Undefined if it has others: an executor that died has said something else than the one that went on. */
export function restOf(whole: string, said: string): string | undefined {
  return whole.startsWith(said) ? whole.slice(said.length) : undefined;
}

export function speakerOf({ author, branch }: Event): string {
  return `${branch ?? ''} ${author}`;
}

/** Text of the last whole message of an agent; empty if there is none. */
export function answerOf(events: readonly Event[]): string {
  const said = events.filter(({ author, partial }) => author !== 'user' && partial !== true).map(textOf);
  return said.findLast((text) => text !== '') ?? '';
}
