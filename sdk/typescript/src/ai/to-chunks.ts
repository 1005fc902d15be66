import type { UIMessageChunk } from 'ai';
import type { Event, Part } from '../records.ts';
import type { RunEvent } from '../runs/run-log.ts';
import { createGapWatch, restOf, speakerOf } from '../runs/run-text.ts';

const approval = 'adk_request_confirmation';
const results = new Set<UIMessageChunk['type']>([
  'tool-output-available',
  'tool-output-error',
  'tool-approval-response',
]);
const beginnings = new Set<UIMessageChunk['type']>(['text-start', 'reasoning-start', 'tool-input-available', 'file']);

/** A text or a thought that an agent is saying. */
interface Open {
  readonly id: string;
  readonly kind: 'text' | 'reasoning';
  said: string;
}

interface Chunker {
  /** The chunks for an event, so that together they have each word once. */
  add(event: RunEvent): UIMessageChunk[];
  /** Ends what is still open. */
  end(): UIMessageChunk[];
}

/** Turns the events of one run into the stream of the AI SDK. A step ends where the results of its calls are told. */
export function createChunker(): Chunker {
  const open = new Map<string, Open>();
  const isTold = createGapWatch();
  const act = createActs();
  const steps = createSteps();
  let texts = 0;
  const close = (name: string): UIMessageChunk[] => {
    const one = open.get(name);
    open.delete(name);
    return one === undefined ? [] : [{ type: `${one.kind}-end`, id: one.id }];
  };
  const say = (name: string, kind: Open['kind'], delta: string): UIMessageChunk[] => {
    const known = open.get(name);
    if (delta === '') return [];
    const one = known ?? { id: `${kind}-${++texts}`, kind, said: '' };
    open.set(name, one);
    one.said += delta;
    const chunk: UIMessageChunk = { type: `${kind}-delta`, id: one.id, delta };
    return known === undefined ? [{ type: `${kind}-start`, id: one.id }, chunk] : [chunk];
  };
  const speak = (event: Event): UIMessageChunk[] => {
    const chunks = (['reasoning', 'text'] as const).flatMap((kind) => {
      const name = `${speakerOf(event)} ${kind}`;
      const text = textIn(event, kind === 'reasoning');
      if (event.partial === true) return say(name, kind, text);
      const rest = restOf(text, open.get(name)?.said ?? '');
      return [...(rest === undefined ? close(name) : []), ...say(name, kind, rest ?? text), ...close(name)];
    });
    return event.partial === true ? chunks : [...chunks, ...(event.content?.parts ?? []).flatMap(act)];
  };
  const hear = ({ content }: Event): UIMessageChunk[] =>
    (content?.parts ?? []).flatMap((part) => (part.functionResponse ? act(part) : []));
  return {
    add(event) {
      if (!isTold(event)) return [];
      return (event.author === 'user' ? hear(event) : speak(event)).flatMap(steps.add);
    },
    end: () => [...[...open.keys()].flatMap(close), ...steps.end()],
  };
}

/** Puts chunks into steps. By these a page knows whether anything followed the results of calls: if not, it sends them. */
function createSteps() {
  let isInStep = false;
  const end = (): UIMessageChunk[] => {
    if (!isInStep) return [];
    isInStep = false;
    return [{ type: 'finish-step' }];
  };
  const add = (chunk: UIMessageChunk): UIMessageChunk[] => {
    if (results.has(chunk.type)) return [chunk, ...end()];
    if (isInStep || !beginnings.has(chunk.type)) return [chunk];
    isInStep = true;
    return [{ type: 'start-step' }, chunk];
  };
  return { add, end };
}

function textIn({ content }: Event, isThought: boolean): string {
  const parts = (content?.parts ?? []).filter(({ thought }) => (thought === true) === isThought);
  return parts.map(({ text }) => text ?? '').join('');
}

/** Returns a function that turns a part into chunks: a call, an answer to one, or a file. */
function createActs(): (part: Part) => UIMessageChunk[] {
  /** Approvals that are waited for: the calls that they are for. What ADK answers these calls until then is no answer of a tool. */
  const asked = new Map<string, string>();
  const call = ({ id, name, args }: NonNullable<Part['functionCall']>): UIMessageChunk[] => {
    const toolCallId = id ?? '';
    if (name !== approval)
      return [{ type: 'tool-input-available', toolCallId, toolName: name ?? '', input: args ?? {}, dynamic: true }];
    const original = (args?.['originalFunctionCall'] as { readonly id?: string } | undefined)?.id ?? '';
    asked.set(toolCallId, original);
    return [{ type: 'tool-approval-request', approvalId: toolCallId, toolCallId: original }];
  };
  const answer = ({ id, name, response }: NonNullable<Part['functionResponse']>): UIMessageChunk[] => {
    const callId = id ?? '';
    if (name === approval) {
      asked.delete(callId);
      return [{ type: 'tool-approval-response', approvalId: callId, approved: response?.['confirmed'] === true }];
    }
    return [...asked.values()].includes(callId) ? [] : [outcomeOf(callId, response ?? {})];
  };
  return ({ functionCall, functionResponse, inlineData }) => {
    if (functionCall) return call(functionCall);
    return functionResponse ? answer(functionResponse) : fileOf(inlineData);
  };
}

function outcomeOf(toolCallId: string, output: Record<string, unknown>): UIMessageChunk {
  const error = output['error'] ?? undefined;
  if (error === undefined) return { type: 'tool-output-available', toolCallId, output, dynamic: true };
  const errorText = typeof error === 'string' ? error : JSON.stringify(error);
  return { type: 'tool-output-error', toolCallId, errorText, dynamic: true };
}

/** Bytes in the mesh's base64, which is that of addresses. */
function fileOf(file: Part['inlineData']): UIMessageChunk[] {
  if (!file?.data) return [];
  const mediaType = file.mimeType ?? 'application/octet-stream';
  const data = file.data.replaceAll('-', '+').replaceAll('_', '/');
  return [{ type: 'file', mediaType, url: `data:${mediaType};base64,${data}` }];
}
