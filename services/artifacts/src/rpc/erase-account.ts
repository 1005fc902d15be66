import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MethodImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { eraseAccount as erase } from '../erase-account.ts';

type EraseAccount = MethodImpl<(typeof ArtifactsService)['method']['eraseAccount']>;

export function eraseAccount(context: Context): EraseAccount {
  return ({ accountId }) => erase(context, accountId);
}
