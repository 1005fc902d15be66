import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { artifactCaller } from '../artifact-caller.ts';
import { Caller, newAccount, sessionPath } from '../caller.ts';
import { words } from '../deployed-settings.ts';
import { agentsDir } from '../mesh.ts';
import { at, withSchema } from './owned-database.ts';

/** Settings of a mesh whose data are backed up and restored. */
export const env = { AGENTS_DIR: agentsDir, RATE_LIMIT_ENABLED: 'false' };
/** More than what is stored in PostgreSQL itself. */
const largeBytes = 200_000;

/** A session with its answer to a run and its artifact, all of which were acknowledged. */
export interface Piece {
  readonly caller: Caller;
  readonly path: string;
  readonly said: string;
  readonly sha256: string;
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function storePiece(caller: Caller): Promise<Piece> {
  const session = await caller.createSession();
  const said = randomUUID();
  const { status } = await caller.run(session, said);
  const bytes = randomBytes(largeBytes);
  const path = sessionPath(session);
  const saved = await artifactCaller(caller).send('PUT', `${path}/artifacts/a.bin`, bytes);
  expect([status, saved.status]).toEqual([200, 200]);
  return { caller, path, said, sha256: sha256Of(bytes) };
}

/** Stores pieces until `over` aborts. */
export async function load(caller: Caller, pieces: Piece[], over: AbortSignal): Promise<void> {
  while (!over.aborted) pieces.push(await storePiece(caller));
}

/** All that an account reads of its sessions, runs and artifacts, as the bytes of the answers. */
export async function exportOf(caller: Caller): Promise<string[]> {
  const read = async (path: string): Promise<string> => {
    const answer = await caller.fetch('GET', path);
    return `${path} ${answer.status} ${Buffer.from(await answer.arrayBuffer()).toString('base64')}`;
  };
  const list = '/apps/echo/users/u1/sessions';
  const { body: sessions } = await caller.request<{ id: string }[]>('GET', list);
  const paths = sessions.flatMap(({ id }) => [
    `${list}/${id}`,
    `${list}/${id}/artifacts`,
    ...[0, 1].map((version) => `${list}/${id}/artifacts/a.bin/versions/${version}?alt=media`),
  ]);
  return Promise.all([list, '/runs?limit=50', '/api/users/me', ...paths].map(read));
}

/** Outcome of reading another service's table with the login of each service: only its own may be read. */
export async function foreignReads(logins: Record<string, string>): Promise<string[]> {
  const wrong: string[] = [];
  for (const word of words) {
    await at(logins[`${word.toUpperCase()}_DATABASE_URL`] ?? '', async (client) => {
      for (const schema of withSchema) {
        const outcome = await client.query(`select from ${schema}.migrations`).then(
          () => 'read',
          (error: unknown) => (error as { code: string }).code,
        );
        if (outcome !== (schema === word ? 'read' : '42501')) wrong.push(`${word} ${outcome} ${schema}`);
      }
    });
  }
  return wrong;
}

/** An account with two sessions and two versions of an artifact, and all that it reads of them. */
export async function settledAccount(url: string): Promise<{ caller: Caller; exported: string[] }> {
  const caller = await newAccount(url);
  const { path } = await storePiece(caller);
  await artifactCaller(caller).send('PUT', `${path}/artifacts/a.bin`, new Uint8Array([1, 2, 3]));
  await storePiece(caller);
  return { caller, exported: await exportOf(caller) };
}

/** Copies the blob store of a mesh that goes on writing, as docs/backup.md says. */
export function copyPayloads(dataDir: string, to: string): Promise<void> {
  const [store, unfinished] = [join(dataDir, 'artifacts'), join(dataDir, 'artifacts', 'tmp')];
  return cp(store, to, { recursive: true, filter: (path) => path !== unfinished });
}

/** Reads each piece at a restored mesh, as it was acknowledged. */
export async function expectPieces(url: string, pieces: readonly Piece[]): Promise<void> {
  for (const { caller, path, said, sha256 } of pieces) {
    const reader = new Caller(url, caller.token);
    expect(JSON.stringify((await reader.request('GET', path)).body)).toContain(said);
    const bytes = await artifactCaller(reader).media(`${path}/artifacts/a.bin`);
    expect(sha256Of(new Uint8Array(await bytes.arrayBuffer()))).toBe(sha256);
  }
}
