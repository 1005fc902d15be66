import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { JsonObject } from '@agentmesh/proto/event';
import type { WaitingCall } from '../road/waiting-calls.ts';
import type { MeshPart } from './parts.ts';

/** An answer to a call. */
export interface CallAnswer {
  readonly id: string;
  readonly name: string;
  readonly response: object;
}

const confirmation = 'adk_request_confirmation';
const decisions = new Map([
  ['yes', true],
  ['approve', true],
  ['true', true],
  ['no', false],
  ['reject', false],
  ['false', false],
]);

/** The question of a call in words, for people whose client does not know the call. */
export function questionOf({ name, args = {} }: WaitingCall): string {
  const { message, originalFunctionCall, toolConfirmation } = args as {
    readonly message?: unknown;
    readonly originalFunctionCall?: { readonly name?: string; readonly args?: object };
    readonly toolConfirmation?: { readonly hint?: string };
  };
  if (name !== confirmation) return typeof message === 'string' ? message : `${name} ${JSON.stringify(args)}`;
  const { name: tool = 'a tool', args: given = {} } = originalFunctionCall ?? {};
  const question = `Approve the call of ${tool} with ${JSON.stringify(given)}? Answer yes or no.`;
  return [toolConfirmation?.hint ?? '', question].join(' ').trim();
}

/**
 * The answers of a message to the calls that a run waits for: function responses, else a text that answers the only call. Undefined when the text answers
 * none: a call is approved by a clear yes only.
 */
export function answersIn(parts: readonly MeshPart[], calls: readonly WaitingCall[]): CallAnswer[] | undefined {
  const responses = parts.flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse]));
  if (responses.length > 0) return responses.map((response) => toAnswer(response, calls));
  const [call, ...others] = calls;
  if (call === undefined || others.length > 0) return undefined;
  const text = parts.map((part) => part.text ?? '').join('\n');
  const response = responseOf(call, text.trim());
  return response && [{ id: call.functionCallId, name: call.name, response }];
}

function toAnswer({ id, name, response }: JsonObject, calls: readonly WaitingCall[]): CallAnswer {
  const known = calls.find(({ functionCallId }) => functionCallId === id)?.name;
  if (typeof id !== 'string' || typeof response !== 'object' || response === null || Array.isArray(response))
    throw new RequestMalformedError('params.message.parts: A function response needs id and response, an object');
  return { id, name: known ?? (typeof name === 'string' ? name : ''), response };
}

function responseOf({ name }: WaitingCall, text: string): object | undefined {
  const value = objectIn(text);
  if (name !== confirmation) return value ?? { result: text };
  if (typeof value?.['confirmed'] === 'boolean') return value;
  const confirmed = decisions.get(text.toLowerCase().replace(/[.!]$/, ''));
  return confirmed === undefined ? undefined : { confirmed };
}

function objectIn(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
