import { checkScope } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { selectNames } from '../store/artifacts.ts';
import type { Handlers } from './handlers.ts';

const pageSize = 1000;

/** Streams artifact names, 1,000 in each message. A name saved during the call may be missing. */
export function listArtifacts({ db }: Context): Handlers['listArtifacts'] {
  return async function* (request) {
    const { accountId, appName, userId, sessionId } = checkScope(request);
    for (let after = ''; ; ) {
      const names = await selectNames(db, [accountId, appName, userId, sessionId], { after, limit: pageSize });
      if (names.length > 0) yield { names };
      if (names.length < pageSize) return;
      after = names.at(-1) ?? '';
    }
  };
}
