import { checkAccountId } from '@agentmesh/lib/rpc';
import type { GetRunRequest } from '@agentmesh/proto/sessions/v1';
import { runNotFound } from '../errors.ts';
import type { PlacedRunName } from '../store/ledger/run-reads.ts';
import { isInvocationId } from './invocation-id.ts';

type Named = Pick<GetRunRequest, 'accountId' | 'invocationId' | 'userId' | 'appName' | 'sessionId'>;

/**
 * The run that a request names. The id of its session is without blanks around it, as it is stored.
 *
 * @throws MeshError not_found `run_not_found` for a name that no run can have
 */
export function namedRun({ accountId, invocationId, userId, appName, sessionId }: Named): PlacedRunName {
  const name = { accountId: checkAccountId(accountId), invocationId, userId, appName, sessionId: sessionId.trim() };
  if (!isInvocationId(invocationId) || [userId, appName, sessionId].some((text) => text.includes('\0')))
    throw runNotFound(invocationId);
  return name;
}
