import { nameOfStatus } from '@agentmesh/proto/run-record';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Piece } from '../road/pieces.ts';
import { waitingCalls } from '../road/waiting-calls.ts';
import type { ToolResult } from './tools.ts';
import { waitingText } from './waiting.ts';

/** The words of a run: its last text, which is the answer, and its files. */
export interface Said {
  text: string;
  readonly files: ContentBlock[];
}

/** Adds a piece of a run to what it has said. */
export function hear(said: Said, piece: Piece): void {
  if (piece.kind === 'file') said.files.push(fileBlock(piece));
  if (!('words' in piece) || piece.words !== 'text') return;
  if (piece.kind === 'open') said.text = '';
  if (piece.kind === 'delta') said.text += piece.text;
}

/** The result of a run that has ended or waits. */
export function resultOf(run: LedgerRun, { text, files }: Said): CallToolResult {
  const { sessionId: session_id, invocationId: run_id, errorCode, errorMessage } = run;
  const status = nameOfStatus(run.status) ?? 'failed';
  const calls = waitingCalls(run);
  const told: ToolResult = {
    text,
    session_id,
    run_id,
    status,
    ...(errorCode !== '' && { error_code: errorCode }),
    ...(run.status === RunStatus.WAITING && {
      waiting_for: calls.map(({ functionCallId, name, args }) => ({
        call_id: functionCallId,
        name,
        ...(args && { args }),
      })),
    }),
  };
  const isError = run.status !== RunStatus.COMPLETED && run.status !== RunStatus.WAITING;
  const extra = isError ? [errorMessage || `The run is ${status}.`] : calls.length > 0 ? [waitingText(run, calls)] : [];
  const texts = [text, ...extra].filter((one, index) => one !== '' || index > 0);
  return {
    content: [...texts.map((one) => ({ type: 'text' as const, text: one })), ...files],
    structuredContent: { ...told },
    ...(isError && { isError }),
  };
}

function fileBlock({ mimeType, data, uri }: Extract<Piece, { kind: 'file' }>): ContentBlock {
  if (data === undefined) return { type: 'resource_link', uri: uri ?? '', name: uri ?? '', mimeType };
  const base64 = Buffer.from(data, 'base64url').toString('base64');
  const [kind] = mimeType.split('/');
  if (kind === 'image' || kind === 'audio') return { type: kind, data: base64, mimeType };
  return { type: 'resource', resource: { uri: `data:${mimeType}`, mimeType, blob: base64 } };
}
