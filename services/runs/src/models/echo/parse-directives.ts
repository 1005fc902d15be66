import type { EchoStep } from './echo-step.ts';
import { readDirective } from './read-directive.ts';

const opener = /\[\[(tool|artifact|state|fail|wait):/g;

/** Most directives of a message, which keeps parsing cheap. The text after them is not parsed. */
const maxDirectives = 100;

/**
 * Splits a message into text and directives, in order. Text without `[[` and a known word stays whole and verbatim; one
 * space after a directive belongs to it. A directive that cannot be read becomes text that says so. Never throws.
 */
export function parseDirectives(message: string): EchoStep[] {
  if (!message.includes('[[')) return [{ kind: 'text', text: message }];
  const steps: EchoStep[] = [];
  let textStart = 0;
  opener.lastIndex = 0;
  for (let count = 0; count < maxDirectives; count += 1) {
    const match = opener.exec(message);
    const word = match?.[1];
    if (match === null || word === undefined) break;
    const directive = readDirective({ message, word, bodyStart: opener.lastIndex });
    if (directive === undefined) break;
    addText(steps, message.slice(textStart, match.index));
    steps.push(directive.step);
    textStart = message[directive.end] === ' ' ? directive.end + 1 : directive.end;
    opener.lastIndex = textStart;
  }
  addText(steps, message.slice(textStart));
  return steps;
}

function addText(steps: EchoStep[], text: string): void {
  if (text !== '') steps.push({ kind: 'text', text });
}
