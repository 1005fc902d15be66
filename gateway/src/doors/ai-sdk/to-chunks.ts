import type { JsonObject } from '@agentmesh/proto/event';
import type { RunFrame } from '@agentmesh/proto/runs/v1';
import { runRecord } from '@agentmesh/proto/run-record';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { FinishReason, UIMessageChunk } from 'ai';
import { createTeller, type Piece } from '../road/pieces.ts';

const approval = 'adk_request_confirmation';
const kinds = { text: 'text', thought: 'reasoning' } as const;

type PieceOf<Kind extends Piece['kind']> = Extract<Piece, { readonly kind: Kind }>;

export interface Chunker {
  /** The chunks for an event of the run, or for a gap. */
  add(frame: Pick<RunFrame, 'json'>): UIMessageChunk[];
  /** The last chunks of the stream: the run has ended or waits. */
  end(run: LedgerRun): UIMessageChunk[];
}

/** Turns the events of one run, from its beginning on, into chunks of the AI SDK's stream. A step ends where the results of its calls are told. */
export function createChunker(): Chunker {
  const teller = createTeller();
  const calls = createCalls();
  let isInStep = false;
  const inStep = (chunks: UIMessageChunk[]): UIMessageChunk[] => {
    if (isInStep || chunks.length === 0) return chunks;
    isInStep = true;
    return [{ type: 'start-step' }, ...chunks];
  };
  const endStep = (): UIMessageChunk[] => {
    if (!isInStep) return [];
    isInStep = false;
    return [{ type: 'finish-step' }];
  };
  const tell = (piece: Piece): UIMessageChunk[] => {
    switch (piece.kind) {
      case 'open':
        return inStep([{ type: `${kinds[piece.words]}-start`, id: piece.id }]);
      case 'delta':
        return [{ type: `${kinds[piece.words]}-delta`, id: piece.id, delta: piece.text }];
      case 'close':
        return [{ type: `${kinds[piece.words]}-end`, id: piece.id }];
      case 'file':
        return inStep([fileOf(piece)]);
      case 'call':
        return inStep(calls.call(piece));
      case 'result': {
        const chunks = calls.result(piece);
        return chunks.length === 0 ? [] : [...chunks, ...endStep()];
      }
    }
  };
  return {
    add: (frame) => teller.add(frame).flatMap(tell),
    end: (run) => [...teller.end().flatMap(tell), ...endStep(), ...endOf(run)],
  };
}

/** Chunks for calls of tools. Clients fail at a chunk about a call that they do not have. */
function createCalls() {
  const told = new Set<string>();
  /** Approvals that are waited for: the calls that they are for. The answers of ADK to these calls until then are no results of tools. */
  const asked = new Map<string, string>();
  const tellCall = (toolCallId: string, toolName: string, input: JsonObject): UIMessageChunk[] => {
    told.add(toolCallId);
    return [{ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }];
  };
  return {
    call({ id, name, args }: PieceOf<'call'>): UIMessageChunk[] {
      if (name !== approval) return tellCall(id, name, args);
      const original = (args['originalFunctionCall'] ?? {}) as { id?: string; name?: string; args?: JsonObject };
      const toolCallId = original.id ?? id;
      asked.set(id, toolCallId);
      const missing = told.has(toolCallId) ? [] : tellCall(toolCallId, original.name ?? name, original.args ?? {});
      return [...missing, { type: 'tool-approval-request', approvalId: id, toolCallId }];
    },
    result({ id, name, response }: PieceOf<'result'>): UIMessageChunk[] {
      if (name === approval) {
        if (!asked.delete(id)) return [];
        return [{ type: 'tool-approval-response', approvalId: id, approved: response['confirmed'] === true }];
      }
      return told.has(id) && ![...asked.values()].includes(id) ? [outcomeOf(id, response)] : [];
    },
  };
}

function outcomeOf(toolCallId: string, output: JsonObject): UIMessageChunk {
  const error = output['error'] ?? undefined;
  if (error === undefined) return { type: 'tool-output-available', toolCallId, output, dynamic: true };
  const errorText = typeof error === 'string' ? error : JSON.stringify(error);
  return { type: 'tool-output-error', toolCallId, errorText, dynamic: true };
}

/** Data URLs have the usual base64; the mesh has that of addresses. */
function fileOf({ mimeType, data, uri = '' }: PieceOf<'file'>): UIMessageChunk {
  if (data === undefined) return { type: 'file', mediaType: mimeType, url: uri };
  const usual = data.replaceAll('-', '+').replaceAll('_', '/');
  return { type: 'file', mediaType: mimeType, url: `data:${mimeType};base64,${usual}` };
}

function endOf(run: LedgerRun): UIMessageChunk[] {
  const { invocationId: runId, status, usage } = JSON.parse(Buffer.from(runRecord(run)).toString()) as RunJson;
  const metadata: UIMessageChunk = { type: 'message-metadata', messageMetadata: { runId, status, usage } };
  return [metadata, ...outcomes(run)];
}

interface RunJson {
  readonly invocationId: string;
  readonly status: string;
  readonly usage: unknown;
}

function outcomes({ status, errorMessage, errorCode }: LedgerRun): UIMessageChunk[] {
  if (status === RunStatus.FAILED)
    return [{ type: 'error', errorText: errorMessage || errorCode || 'The run failed.' }, finish('error')];
  // With `interrupted` a client does not send the answers of its user again.
  if (status === RunStatus.CANCELLED || status === RunStatus.INTERRUPTED)
    return [{ type: 'abort' }, finish('interrupted')];
  return [finish(status === RunStatus.WAITING ? 'tool-calls' : 'stop')];
}

function finish(finishReason: FinishReason): UIMessageChunk {
  return { type: 'finish', finishReason };
}
