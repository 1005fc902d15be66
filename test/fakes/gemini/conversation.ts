import { demand, demandKeys, type Fields, isObject } from '../demand.ts';
import { signPart, skipSignature } from './signature.ts';

export interface GeminiContent {
  readonly role: string;
  readonly parts: readonly Fields[];
}

const data = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'];

/**
 * Refuses contents unless calls follow a user turn or a response turn, responses follow their calls in equal number, and
 * signatures come back unchanged.
 */
export function readContents(contents: unknown, { strictCalls }: { readonly strictCalls: boolean }): GeminiContent[] {
  demand(
    Array.isArray(contents) && contents.length > 0,
    '* GenerateContentRequest.contents: contents is not specified',
  );
  const read = contents.map(readContent);
  for (const [index, content] of read.entries()) checkTurn(content, read[index - 1]);
  demand(
    callsOf(read.at(-1)).length === 0,
    'Please ensure that function call turns are followed by a function response turn.',
  );
  if (strictCalls) checkSignedCalls(read);
  return read;
}

function readContent(content: unknown, index: number): GeminiContent {
  const at = `contents[${index}]`;
  demand(isObject(content), `Invalid value at '${at}'`);
  demandKeys(content, 'role parts', (key) => unknownName(key, at));
  const { role = 'user', parts } = content;
  demand(role === 'user' || role === 'model', 'Please use a valid role: user, model.');
  const empty = `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`;
  demand(Array.isArray(parts) && parts.length > 0, empty);
  return { role, parts: parts.map((part, place) => readPart(part, `${at}.parts[${place}]`)) };
}

function readPart(part: unknown, at: string): Fields {
  demand(isObject(part), `Invalid value at '${at}'`);
  demandKeys(part, `${data.join(' ')} thought thoughtSignature`, (key) => unknownName(key, at));
  const held = data.filter((key) => part[key] !== undefined);
  const oneof = `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`;
  demand(held.length === 1, oneof);
  if (isObject(part['inlineData'])) checkInlineData(part['inlineData'], at);
  const { functionCall: call, functionResponse: response, thoughtSignature: signature } = part;
  if (call !== undefined) checkNamed(call, 'id name args', `${at}.function_call`);
  if (response !== undefined) checkNamed(response, 'id name response parts', `${at}.function_response`);
  if (signature !== undefined) checkSignature(signature, call, at);
  return part;
}

function checkInlineData(blob: Fields, at: string): void {
  demandKeys(blob, 'mimeType data displayName', (key) => unknownName(key, `${at}.inline_data`));
  const text = blob['data'];
  const right = typeof text === 'string' && text !== '' && Buffer.from(text, 'base64').toString('base64') === text;
  demand(right, `Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed`);
  demand(/^\w+\/[\w.+-]+/.test(String(blob['mimeType'])), 'Unsupported MIME type');
}

function checkNamed(value: unknown, keys: string, at: string): void {
  demand(isObject(value), `Invalid value at '${at}'`);
  demandKeys(value, keys, (key) => unknownName(key, at));
  demand(typeof value['name'] === 'string' && value['name'] !== '', `${at}.name: Name cannot be empty.`);
  for (const key of ['args', 'response'])
    demand(value[key] === undefined || isObject(value[key]), `Invalid value at '${at}.${key}'`);
}

function checkSignature(signature: unknown, call: unknown, at: string): void {
  const signed = isObject(call) ? { name: String(call['name']), args: call['args'] as object | undefined } : undefined;
  const right = signature === signPart(signed) || (signed !== undefined && signature === skipSignature);
  demand(right, `Thought signature is not valid. (${at})`);
}

function checkTurn(content: GeminiContent, before: GeminiContent | undefined): void {
  const calls = callsOf(content);
  const afterUser = before?.role === 'user';
  const callTurn =
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
  demand(calls.length === 0 || afterUser, callTurn);
  const answers = content.parts.filter((part) => part['functionResponse'] !== undefined);
  const asked = callsOf(before);
  const stray = 'Please ensure that function response turn comes immediately after a function call turn.';
  demand(answers.length === 0 || asked.length > 0, stray);
  const count =
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  demand(answers.length === asked.length, count);
}

/** Refuses the current turn unless the first call of each step has a signature. */
function checkSignedCalls(contents: readonly GeminiContent[]): void {
  const asked = contents.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some((part) => !part['functionResponse']),
  );
  for (const content of contents.slice(asked + 1)) {
    const [first] = content.parts.filter((part) => part['functionCall'] !== undefined);
    const missing = 'Function call is missing a thought_signature in functionCall parts.';
    demand(first === undefined || first['thoughtSignature'] !== undefined, missing);
  }
}

function callsOf(content: GeminiContent | undefined): Fields[] {
  return (content?.parts ?? []).filter((part) => part['functionCall'] !== undefined);
}

/** The vendor's error message for an unknown field. */
export function unknownName(key: string, at: string): string {
  return `Invalid JSON payload received. Unknown name "${key}" at '${at}': Cannot find field.`;
}
