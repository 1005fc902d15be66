import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MethodImpl } from '@connectrpc/connect';
import { storedKey } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { listVersions as readVersions } from '../store/versions.ts';
import { versionRecord } from '../version-record.ts';

type ListVersions = MethodImpl<(typeof ArtifactsService)['method']['listVersions']>;

const pageSize = 500;

/** Streams the records of all versions in pages. */
export function listVersions({ db }: Context): ListVersions {
  return async function* (request) {
    const key = storedKey(request.key);
    for (let after = -1; ; ) {
      const rows = await readVersions(db, key, { after, limit: pageSize });
      if (rows.length > 0) yield { versions: rows.map((row) => versionRecord(key, row)) };
      if (rows.length < pageSize) return;
      after = rows.at(-1)?.version ?? after;
    }
  };
}
