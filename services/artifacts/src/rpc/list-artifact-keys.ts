import { checkAccountId } from '@agentmesh/lib/rpc';
import { isOfUser } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { requestInvalid } from '../errors.ts';
import { selectKeys } from '../store/artifacts.ts';
import type { Handlers } from './handlers.ts';

const mostKeys = 500;
/** The session that is told of artifacts of users. */
const anySession = '-';

/** Returns one page of the keys of an account's artifacts. */
export function listArtifactKeys({ db }: Context): Handlers['listArtifactKeys'] {
  return async ({ accountId: asked, after, limit }) => {
    const accountId = checkAccountId(asked);
    if (limit < 0 || limit > mostKeys) throw requestInvalid(`A page has at most ${mostKeys} keys.`);
    const { appName = '', userId = '', sessionId = '', name = '' } = after ?? {};
    if ([appName, userId, sessionId, name].some((id) => id.includes('\0'))) throw requestInvalid('No such place.');
    const place = [accountId, appName, userId, isOfUser(name) ? '' : sessionId, name] as const;
    const keys = await selectKeys(db, place, limit || mostKeys);
    return { keys: keys.map((key) => ({ ...key, accountId, sessionId: key.sessionId || anySession })) };
  };
}
