import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { limitOf } from '../memory-key.ts';
import { selectPartitionKeys } from '../store/partitions.ts';
import type { Handlers } from './handlers.ts';

const limits = { standard: 100, most: 500 };

/** Answers one page of the keys of an account's memories, also while MEMORY_ENABLED is false. */
export function listMemories({ db }: Context): Handlers['listMemories'] {
  return async ({ accountId: asked, after, limit }) => {
    const accountId = checkAccountId(asked);
    const { appName = '', userId = '' } = after ?? {};
    if (appName.includes('\0') || userId.includes('\0')) throw invalid('No such place.');
    const keys = await selectPartitionKeys(db, [accountId, appName, userId], limitOf(limit, limits));
    return { keys: keys.map((key) => ({ ...key, accountId })) };
  };
}
