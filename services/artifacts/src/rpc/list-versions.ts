import { storedKey } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { selectVersions } from '../store/versions.ts';
import { versionRecord } from '../version-record.ts';
import type { Handlers } from './handlers.ts';

const pageSize = 500;

/** Streams the records of all versions, oldest first, 500 in each message. */
export function listVersions({ db }: Context): Handlers['listVersions'] {
  return async function* (request) {
    const key = storedKey(request.key);
    for (let after = -1; ; ) {
      const rows = await selectVersions(db, key, { after, limit: pageSize });
      if (rows.length > 0) yield { versions: rows.map((row) => versionRecord(key, row)) };
      if (rows.length < pageSize) return;
      after = rows.at(-1)?.version ?? after;
    }
  };
}
