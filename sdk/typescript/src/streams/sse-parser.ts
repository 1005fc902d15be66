import { LineSplitter } from './line-splitter.ts';

/** A frame of server-sent events. */
export interface Frame {
  /** `message` where the stream names none. */
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

export interface ParserEvents {
  readonly onFrame: (frame: Frame) => void;
  readonly onComment?: ((text: string) => void) | undefined;
}

/**
 * Reads server-sent events from pieces of text that end anywhere. A frame counts when its empty line has come: what stands behind the last one is
 * dropped when the connection breaks.
 */
export function createSseParser({ onFrame, onComment }: ParserEvents): (text: string) => void {
  const lines = new LineSplitter(/\r\n|\n|\r/);
  let held = '';
  let [data, event, id]: [string[], string, string | undefined] = [[], '', undefined];
  const onLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onFrame({ event: event === '' ? 'message' : event, id, data: data.join('\n') });
      [data, event, id] = [[], '', undefined];
      return;
    }
    const at = line.indexOf(':');
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? '' : line.slice(at + (line[at + 1] === ' ' ? 2 : 1));
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id') id = value;
    else if (name === '') onComment?.(value);
  };
  return (text) => {
    // A carriage return at the end may be the first half of a line's end.
    const known = held + text;
    held = known.endsWith('\r') ? '\r' : '';
    for (const line of lines.take(known.slice(0, known.length - held.length))) onLine(line);
  };
}
