import { createTeller, type Piece } from '../road/pieces.ts';
import type { AguiEvent } from './agui-event.ts';
import { confirmation } from './answers.ts';
import { ownResult } from './read-messages.ts';

interface Telling {
  /** Makes ids of messages unique in their thread. */
  readonly runId: string;
  /** Calls whose results the page has made itself. */
  readonly answered: ReadonlySet<string>;
}

interface Narrator {
  /** AG-UI's events of an event of the mesh, or of a gap. */
  add(frame: { readonly json: Uint8Array }): AguiEvent[];
  /** Closes what is still open. */
  end(): AguiEvent[];
}

/** Tells what the agents of a run say and do, in the order that AG-UI's clients enforce. */
export function createNarrator({ runId, answered }: Telling): Narrator {
  const teller = createTeller();
  /** Calls that wait for approval. The text that stands for their results meanwhile is not told. */
  const asked = new Map<string, string>();
  let results = 0;
  const resultOf = ({ id, response }: Extract<Piece, { kind: 'result' }>): AguiEvent[] => {
    const isPreliminary = [...asked.values()].includes(id);
    asked.delete(id);
    if (isPreliminary || answered.has(id)) return [];
    const messageId = `${ownResult}${runId}:${++results}`;
    return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId: id, role: 'tool', content: JSON.stringify(response) }];
  };
  const tell = (piece: Piece): AguiEvent[] => {
    if ('words' in piece) return (piece.words === 'text' ? wordsOf : thoughtsOf)(piece, `${runId}:${piece.id}`);
    if (piece.kind === 'result') return resultOf(piece);
    if (piece.kind === 'file') return [fileOf(piece)];
    if (piece.name === confirmation) asked.set(piece.id, askedFor(piece.args));
    return callOf(piece);
  };
  return { add: (frame) => teller.add(frame).flatMap(tell), end: () => teller.end().flatMap(tell) };
}

/** Id of the call that a request for approval is about. */
export function askedFor(args: Readonly<Record<string, unknown>> | undefined): string {
  const { id } = (args?.['originalFunctionCall'] ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : '';
}

type Words = Extract<Piece, { readonly words: unknown }>;

function wordsOf(piece: Words, messageId: string): AguiEvent[] {
  if (piece.kind === 'delta') return [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: piece.text }];
  if (piece.kind === 'close') return [{ type: 'TEXT_MESSAGE_END', messageId }];
  return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', name: piece.author }];
}

function thoughtsOf(piece: Words, messageId: string): AguiEvent[] {
  if (piece.kind === 'delta') return [{ type: 'REASONING_MESSAGE_CONTENT', messageId, delta: piece.text }];
  const isOpening = piece.kind === 'open';
  if (!isOpening)
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ];
}

function callOf({ id: toolCallId, name: toolCallName, args }: Extract<Piece, { kind: 'call' }>): AguiEvent[] {
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(args) },
    { type: 'TOOL_CALL_END', toolCallId },
  ];
}

/** AG-UI has no event for files of agents. */
function fileOf({ mimeType, data, uri }: Extract<Piece, { kind: 'file' }>): AguiEvent {
  const base64 = data && Buffer.from(data, 'base64url').toString('base64');
  return { type: 'CUSTOM', name: 'agentmesh.file', value: { mimeType, ...(data ? { data: base64 } : { uri }) } };
}
