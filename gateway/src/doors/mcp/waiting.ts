import type { JsonObject } from '@agentmesh/proto/event';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import type { ElicitInputParams, InputRequests } from '@modelcontextprotocol/server';
import type { WaitingCall } from '../road/waiting-calls.ts';
import type { DoorCall } from './door-call.ts';

const isConfirmation = ({ name }: WaitingCall): boolean => name === 'adk_request_confirmation';

/** Tells a model what a run waits for, and how it is answered: with the session too, because a copy of it may have a newer run with the id. */
export function waitingText({ sessionId, invocationId }: LedgerRun, calls: readonly WaitingCall[]): string {
  const lines = calls.map((call) => {
    const response = isConfirmation(call) ? { confirmed: true } : { result: 'the answer' };
    const answer = { run_id: invocationId, call_id: call.functionCallId, response };
    const asked = JSON.stringify({ session_id: sessionId, answer });
    return `${questionOf(call)}\n${asked}${isConfirmation(call) ? ' or "confirmed": false' : ''}`;
  });
  const ask = 'The agent waits for a person. Ask the person, and then call this tool again with these arguments only:';
  return [ask, ...lines].join('\n');
}

/** Forms in which a client asks its user what a run waits for, by the id of the call. */
export function elicitations({ inputRequired }: DoorCall['mcp'], calls: readonly WaitingCall[]): InputRequests {
  const forms = calls.map((call) => {
    const [field, type] = isConfirmation(call) ? (['confirmed', 'boolean'] as const) : (['result', 'string'] as const);
    const requestedSchema = { type: 'object' as const, properties: { [field]: { type } }, required: [field] };
    const form = inputRequired.elicit({ message: questionOf(call), requestedSchema } as ElicitInputParams);
    return [call.functionCallId, form] as const;
  });
  return Object.fromEntries(forms);
}

/** The user's answers. Declining rejects what is to be approved; everything else that is not answered goes on waiting. */
export function answersOfElicitation(
  { inputResponse }: DoorCall['mcp'],
  responses: Record<string, unknown>,
  calls: readonly WaitingCall[],
): { readonly id: string; readonly response: JsonObject }[] {
  return calls.flatMap((call) => {
    const id = call.functionCallId;
    const view = inputResponse(responses, id);
    if (view.kind !== 'elicit') return [];
    if (view.action === 'accept') return [{ id, response: (view.content ?? {}) as JsonObject }];
    return view.action === 'decline' && isConfirmation(call) ? [{ id, response: { confirmed: false } }] : [];
  });
}

/** The question of a call, in words for a person. */
function questionOf(call: WaitingCall): string {
  const { name, args = {} } = call;
  const { message, originalFunctionCall, toolConfirmation } = args as {
    readonly message?: unknown;
    readonly originalFunctionCall?: { readonly name?: string; readonly args?: object };
    readonly toolConfirmation?: { readonly hint?: string };
  };
  if (!isConfirmation(call)) return typeof message === 'string' ? message : `${name} ${JSON.stringify(args)}`;
  const { name: tool = 'a tool', args: given = {} } = originalFunctionCall ?? {};
  return [`Approve the call of ${tool} with ${JSON.stringify(given)}?`, toolConfirmation?.hint ?? ''].join(' ').trim();
}
