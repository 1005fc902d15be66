import { endOfJson } from './end-of-json.ts';
import type { EchoStep } from './echo-step.ts';

/** A directive in a message: its word, and the index after its colon. */
interface Opening {
  readonly message: string;
  readonly word: string;
  readonly bodyStart: number;
}

interface Directive {
  readonly step: EchoStep;
  /** The index after the closing brackets. */
  readonly end: number;
}

/** The longest wait a message may ask for, in milliseconds. */
const maxWaitMs = 600_000;

/** Reads the directive that opens here; undefined when nothing in the message closes it. */
export function readDirective(opening: Opening): Directive | undefined {
  const bodyEnd = findBodyEnd(opening);
  if (bodyEnd === -1) return undefined;
  const body = opening.message.slice(opening.bodyStart, bodyEnd);
  return { step: readStep(opening.word, body), end: bodyEnd + 2 };
}

/** Closing brackets inside a tool's JSON do not close the directive. */
function findBodyEnd({ message, word, bodyStart }: Opening): number {
  const first = message.indexOf(']]', bodyStart);
  if (word !== 'tool' || first === -1) return first;
  const brace = message.indexOf('{', bodyStart);
  if (brace === -1 || brace > first) return first;
  let end = endOfJson(message, brace);
  while (message[end] === ' ') end += 1;
  return end !== -1 && message.startsWith(']]', end) ? end : first;
}

function readStep(word: string, body: string): EchoStep {
  if (word === 'tool') return readTool(body);
  if (word === 'artifact') return readArtifact(body);
  if (word === 'state') return readState(body);
  if (word === 'wait') return readWait(body);
  return { kind: 'fail', message: body };
}

function readTool(body: string): EchoStep {
  const [name, json] = splitAt(body, body.search(/[\s{]/));
  if (name === '') return unreadable('tool', 'it names no tool');
  const args = parseObject(json === '' ? '{}' : json);
  if (args === undefined) return unreadable('tool', `what follows ${name} is not a JSON object`);
  return { kind: 'call', name, args, report: true };
}

function readArtifact(body: string): EchoStep {
  const [filename, text] = splitAt(body, body.search(/\s/));
  if (filename === '') return unreadable('artifact', 'it names no artifact');
  return { kind: 'call', name: 'save_artifact', args: { filename, text }, report: false };
}

function readState(body: string): EchoStep {
  const equals = body.indexOf('=');
  if (equals < 1) return unreadable('state', 'it is not key=value');
  const args = { key: body.slice(0, equals).trim(), value: body.slice(equals + 1) };
  if (args.key === '') return unreadable('state', 'it names no key');
  return { kind: 'call', name: 'set_state', args, report: false };
}

function readWait(body: string): EchoStep {
  const ms = body.trim();
  if (!/^\d{1,9}$/.test(ms)) return unreadable('wait', 'it is not a number of milliseconds');
  return { kind: 'wait', ms: Math.min(Number(ms), maxWaitMs) };
}

function unreadable(word: string, reason: string): EchoStep {
  return { kind: 'text', text: `(the directive "${word}" cannot be read: ${reason})` };
}

function splitAt(body: string, index: number): [string, string] {
  return index === -1 ? [body, ''] : [body.slice(0, index), body.slice(index).trim()];
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
