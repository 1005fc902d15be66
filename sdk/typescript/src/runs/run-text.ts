import { type Event, textOf } from '../records.ts';
import type { RunEvent } from './run-log.ts';

/** Returns a function that answers the new text of each event, so that the pieces together are what the agents have said, each word once. */
export function createTextReader(): (event: RunEvent) => string {
  /** The part of the message in progress that was answered, by agent. */
  const said = new Map<string, string>();
  let isGapped = false;
  return (event) => {
    if (event.gap !== undefined) {
      isGapped = true;
      return '';
    }
    if (event.author === 'user') return '';
    const [speaker, text] = [speakerOf(event), textOf(event)];
    const before = said.get(speaker) ?? '';
    if (event.partial === true) {
      // Between a gap and the next whole event it is not known which words are missing.
      if (isGapped) return '';
      said.set(speaker, before + text);
      return text;
    }
    said.delete(speaker);
    isGapped = false;
    return text.slice(before.length);
  };
}

function speakerOf({ author, branch }: Event): string {
  return `${branch ?? ''} ${author}`;
}

/** Text of the last whole message of an agent; empty if there is none. */
export function answerOf(events: readonly Event[]): string {
  const said = events.filter(({ author, partial }) => author !== 'user' && partial !== true).map(textOf);
  return said.findLast((text) => text !== '') ?? '';
}
