import type { RunWaitSchema } from '@agentmesh/proto/auth/v1';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';

/** A call of `LedgerRun.waiting_for_json`. */
interface WaitingCall {
  readonly functionCallId: string;
  readonly name: string;
  readonly args?: { readonly originalFunctionCall?: { readonly name?: unknown } };
}

const confirmation = 'adk_request_confirmation';
/** Its answer is the consent of the end user at a provider, not a text. */
const credential = 'adk_request_credential';
const mostCalls = 20;
const longestId = 200;
const longestName = 100;

/** The calls of a run that a mailed link answers; undefined when the run does not wait, or for nothing that the page behind the link can ask. */
export function runWaitOf(run: LedgerRun): MessageInitShape<typeof RunWaitSchema> | undefined {
  if (run.status !== RunStatus.WAITING || run.waitingForJson.length === 0) return undefined;
  const waiting = JSON.parse(Buffer.from(run.waitingForJson).toString()) as WaitingCall[];
  const calls = waiting.filter(isAnswerable).slice(0, mostCalls).map(toCall);
  if (calls.length === 0) return undefined;
  const { appName, userId, sessionId, invocationId, attempt } = run;
  return { appName, userId, sessionId, invocationId, attempt, calls };
}

/** A call whose arguments are too large for the ledger cannot be judged on the page. */
function isAnswerable({ functionCallId, name, args }: WaitingCall): boolean {
  const isShort = functionCallId.length <= longestId && !functionCallId.includes('\0') && functionCallId.isWellFormed();
  return name !== credential && args !== undefined && isShort;
}

function toCall({ functionCallId: id, name, args }: WaitingCall) {
  const isApproval = name === confirmation;
  const original = args?.originalFunctionCall?.name;
  const tool = isApproval && typeof original === 'string' ? original : name;
  return { id, isApproval, tool: tool.toWellFormed().replaceAll('\0', '').slice(0, longestName).toWellFormed() };
}
