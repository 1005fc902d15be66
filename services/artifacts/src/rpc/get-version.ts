import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MethodImpl } from '@connectrpc/connect';
import { storedKey } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { versionNotFound } from '../errors.ts';
import { getVersion as readVersion } from '../store/versions.ts';
import { versionRecord } from '../version-record.ts';

type GetVersion = MethodImpl<(typeof ArtifactsService)['method']['getVersion']>;

/** The record of a version, its references not followed. */
export function getVersion({ db }: Context): GetVersion {
  return async ({ key: sent, version }) => {
    const key = storedKey(sent);
    const row = await readVersion(db, key, version);
    if (row === undefined) throw versionNotFound();
    return { version: versionRecord(key, row) };
  };
}
