import { callingService, MeshError } from '@agentmesh/lib/rpc';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import type { HandlerContext } from '@connectrpc/connect';

/** `runs` executes the code of others, and needs less than the methods allow that it may call. */
const limited = 'runs';

/** Throws permission_denied `caller_refused` when `runs` stores or deletes another key than the own one of an agent. */
export function checkKindForCaller(kind: KeyKind, call: HandlerContext): void {
  if (callingService(call) !== limited || kind === KeyKind.AGENT) return;
  throw callerRefused('The service runs stores and deletes only keys of agents.');
}

/** Throws permission_denied `caller_refused` when `runs` asks for more than the use of one run. */
export function checkUsageForCaller(invocationId: string | undefined, call: HandlerContext): void {
  if (callingService(call) !== limited || invocationId !== undefined) return;
  throw callerRefused('The service runs reads only the use of one run.');
}

function callerRefused(message: string): MeshError {
  return new MeshError('permission_denied', 'caller_refused', message);
}
