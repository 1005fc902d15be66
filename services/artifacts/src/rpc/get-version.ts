import { storedKey } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { versionNotFound } from '../errors.ts';
import { selectVersion } from '../store/versions.ts';
import { versionRecord } from '../version-record.ts';
import type { Handlers } from './handlers.ts';

/** Returns the record of one version. A reference to another artifact is not followed. */
export function getVersion({ db }: Context): Handlers['getVersion'] {
  return async (request) => {
    const key = storedKey(request.key);
    const row = await selectVersion(db, key, request.version);
    if (row === undefined) throw versionNotFound();
    return { version: versionRecord(key, row) };
  };
}
