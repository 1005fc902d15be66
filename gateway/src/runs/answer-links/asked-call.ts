import type { RunWait } from '@agentmesh/proto/auth/v1';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { isRecord } from '../../edge/validation/record.ts';

/** A call that the page of a mailed link asks about. */
export interface AskedCall {
  readonly id: string;
  /** Name of the call to answer. */
  readonly name: string;
  /** The tool that is asked about. */
  readonly tool: string;
  /** The answer approves or rejects the call. */
  readonly isApproval: boolean;
  /** The hint of the tool or the agent; empty for none. */
  readonly hint: string;
  /** The arguments as JSON; undefined when the hint says all. */
  readonly args: string | undefined;
}

const confirmation = 'adk_request_confirmation';

/** The calls of a link, in its order, that the run waits for. */
export function askedCalls({ calls }: RunWait, { waitingForJson }: LedgerRun): AskedCall[] {
  if (waitingForJson.length === 0) return [];
  const waiting = parseExactly(Buffer.from(waitingForJson).toString()) as Waiting[];
  return calls.flatMap(({ id }) => waiting.filter(({ functionCallId }) => functionCallId === id).map(toCall));
}

interface Waiting {
  readonly functionCallId: string;
  readonly name: string;
  readonly args?: unknown;
}

function toCall({ functionCallId: id, name, args }: Waiting): AskedCall {
  const given = isRecord(args) ? args : {};
  return { id, name, ...(name === confirmation ? approvalOf(given) : inputOf(name, given)) };
}

/** ADK's request for approval has the call that would be made. */
function approvalOf(args: Record<string, unknown>) {
  const { originalFunctionCall: call, toolConfirmation: asked } = args;
  const { name, args: callArgs = {} } = isRecord(call) ? call : {};
  const { hint, payload } = isRecord(asked) ? asked : {};
  const shown = payload === undefined || payload === null ? callArgs : { args: callArgs, payload };
  return {
    isApproval: true,
    tool: typeof name === 'string' ? name : confirmation,
    hint: typeof hint === 'string' ? hint : '',
    args: JSON.stringify(shown, null, 2),
  };
}

function inputOf(tool: string, args: Record<string, unknown>) {
  const { message, ...others } = args;
  const hint = typeof message === 'string' ? message : '';
  const isAll = hint !== '' && Object.keys(others).length === 0;
  return { isApproval: false, tool, hint, args: isAll ? undefined : JSON.stringify(args, null, 2) };
}
