import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { bytesOf } from '../json-bytes.ts';
import { canExist, checkAccountId } from '../session-key.ts';
import { printState } from '../state-delta.ts';
import { type ListScope, listSessions as readSessions, readSharedState } from '../store/sessions.ts';

type ListSessions = MethodImpl<(typeof SessionsService)['method']['listSessions']>;

const pageSize = 500;

/** Streams a user's sessions in the order of their creation. */
export function listSessions({ db }: Context): ListSessions {
  return async function* ({ accountId, appName, userId }) {
    const scope: ListScope = [checkAccountId(accountId), appName, userId];
    if (!canExist({ accountId, appName, userId, sessionId: 'any' } as Parameters<typeof canExist>[0])) return;
    const shared = await readSharedState(db, scope);
    let after: bigint | undefined = 0n;
    while (after !== undefined) {
      const page = await readSessions(db, scope, { after, limit: pageSize });
      after = page.last;
      const sessions = page.sessions.map(({ id, lastUpdateTime, ownState }) => {
        const stateJson = bytesOf(printState(new Map([...ownState, ...shared])));
        return { appName, userId, id, stateJson, lastUpdateTime };
      });
      yield { sessions };
    }
  };
}
