import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type WaitingCall, waitingCalls } from '../road/waiting-calls.ts';
import type { AguiEvent, Interrupt, Outcome } from './agui-event.ts';
import { confirmation } from './answers.ts';
import { askedFor } from './events-of-pieces.ts';

interface Names {
  readonly threadId: string;
  readonly runId: string;
}

/** The last event of a run that has ended or waits. */
export function endOfRun(run: LedgerRun, names: Names): AguiEvent {
  const { status, errorMessage, errorCode } = run;
  if (status === RunStatus.FAILED) {
    return { type: 'RUN_ERROR', message: errorMessage || 'The run failed.', ...(errorCode && { code: errorCode }) };
  }
  return { type: 'RUN_FINISHED', ...names, outcome: outcomeOf(run) };
}

function outcomeOf(run: LedgerRun): Outcome {
  const { status, answerBy } = run;
  if (status !== RunStatus.WAITING) return { type: status === RunStatus.COMPLETED ? 'success' : 'cancelled' };
  const expiry = answerBy > 0 ? { expiresAt: new Date(answerBy * 1000).toISOString() } : {};
  return {
    type: 'interrupt',
    interrupts: waitingCalls(run).map((call) => ({ ...interruptOf(call), ...expiry })),
  };
}

const approvalSchema = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };
const inputSchema = { type: 'object', properties: { result: { type: 'string' } }, required: ['result'] };

function interruptOf({ functionCallId: id, name, args }: WaitingCall): Interrupt {
  if (name === confirmation) {
    const { hint } = (args?.['toolConfirmation'] ?? {}) as { readonly hint?: unknown };
    const toolCallId = askedFor(args) || id;
    return { id, reason: 'tool_call', toolCallId, ...messageOf(hint), responseSchema: approvalSchema };
  }
  const message = messageOf(args?.['message']);
  if (name !== 'request_input') return { id, reason: 'tool_call', toolCallId: id, ...message };
  return { id, reason: 'input_required', toolCallId: id, ...message, responseSchema: inputSchema };
}

function messageOf(text: unknown): { readonly message?: string } {
  return typeof text === 'string' && text !== '' ? { message: text } : {};
}
