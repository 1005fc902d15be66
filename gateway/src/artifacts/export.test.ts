import { MeshError } from '@agentmesh/lib/rpc';
import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { artifactExport } from './export.ts';

const key = { accountId: 'a-1', appName: 'echo', userId: 'u1', sessionId: 's1' };
const bytes = (text: string) => ({ kind: { case: 'chunk' as const, value: Buffer.from(text) } });
const version = {
  version: 0,
  sha256: 'aa',
  size: 8n,
  customMetadataJson: Buffer.from('{}'),
  mimeType: '',
  createTime: 0,
};

/** The records of two artifacts, of which reading the first fails behind its first bytes. */
function exportWith(failure: Error) {
  const artifacts = {
    listArtifactKeys: () => Promise.resolve({ keys: ['first', 'second'].map((name) => ({ ...key, name })) }),
    listVersions: async function* () {
      yield { versions: [version] };
    },
    loadArtifact: async function* ({ key: { name } }: { key: { name: string } }) {
      yield { kind: { case: 'head' as const, value: { version } } };
      yield bytes('half');
      if (name === 'first') throw failure;
      yield bytes('rest');
    },
  };
  const owner = { accountId: 'a-1' } as Identity;
  return Array.fromAsync(artifactExport.read({ artifacts } as unknown as Context, owner));
}

test('a damaged payload is named as left out, and the artifacts behind it are read', async () => {
  const records = await exportWith(new MeshError('internal', 'artifact_damaged', 'The payload is damaged.'));
  const of = { app_name: 'echo', user_id: 'u1', session_id: 's1', name: 'first', version: 0 };
  expect(records.map(({ kind }) => kind).join(' ')).toBe(
    'artifact artifact_version artifact_bytes left_out artifact artifact_version artifact_bytes artifact_bytes',
  );
  expect(records[3]?.data).toEqual({ kind: 'artifact_bytes', reason: 'the stored payload is damaged', ...of });
});

test('a store that is away breaks the export: later it is whole', async () => {
  const away = new MeshError('unavailable', 'artifact_store_unavailable', 'Away.');
  await expect(exportWith(away)).rejects.toBe(away);
});
