import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MethodImpl } from '@connectrpc/connect';
import { checkScope } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { listNames } from '../store/versions.ts';

type ListArtifacts = MethodImpl<(typeof ArtifactsService)['method']['listArtifacts']>;

const pageSize = 1000;

/** Streams names in pages; artifacts saved meanwhile may or may not be among them. */
export function listArtifacts({ db }: Context): ListArtifacts {
  return async function* (request) {
    const { accountId, appName, userId, sessionId } = checkScope(request);
    for (let after = ''; ; ) {
      const names = await listNames(db, [accountId, appName, userId, sessionId], { after, limit: pageSize });
      if (names.length > 0) yield { names };
      if (names.length < pageSize) return;
      after = names.at(-1) ?? '';
    }
  };
}
