import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPgBus } from '@agentmesh/lib/bus';
import { fakeDeletions, preparedDatabase } from '@agentmesh/lib/service/testing';
import { openDatabase } from '@agentmesh/lib/pg';
import { asDeclared } from '@agentmesh/lib/rpc/testing';
import { startProcess } from '@agentmesh/lib/service';
import { ArtifactsService, type LoadedArtifact, PayloadKind, type Version } from '@agentmesh/proto/artifacts/v1';
import type { ReportErasureRequest } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import { artifacts } from '../src/index.ts';

export type ArtifactsClient = Client<typeof ArtifactsService>;
export type Key = ReturnType<typeof newKey>;

export interface TestArtifacts extends AsyncDisposable {
  readonly client: ArtifactsClient;
  readonly folder: string;
  readonly databaseUrl: string;
  /** Names of all files of the blob store, temporary ones included, after garbage was collected. */
  files(): Promise<string[]>;
  /** Runs SQL in the schema of the service. */
  rows(statement: string): Promise<Record<string, unknown>[]>;
  /** Collects garbage. */
  settle(): Promise<void>;
  /** Announces that an account was deleted, as auth does. Resolves with the answer of the service. */
  announceDeletion(accountId: string): Promise<ReportErasureRequest>;
}

/** Starts this service alone, with a new database in a real PostgreSQL and a new folder. */
export async function openArtifacts(env: Record<string, string> = {}): Promise<TestArtifacts> {
  const database = await preparedDatabase(artifacts);
  const folder = await mkdtemp(join(tmpdir(), 'artifacts-'));
  await chmod(folder, 0o711);
  const deletions = fakeDeletions();
  const process = await startProcess({
    services: [deletions.service, artifacts],
    words: ['auth', 'artifacts'],
    env: { DATABASE_URL: database.url, DATA_DIR: folder, OPS_PORT: '0', LOG_LEVEL: 'silent', ...env },
  });
  const migrations = new URL('../migrations/', import.meta.url);
  const bus = await createPgBus({ url: database.url, log: process.log });
  const sql = await openDatabase({ service: 'artifacts', url: database.url, poolSize: 2, migrations }, process.log);
  const settle = async (): Promise<void> => {
    try {
      await process.settle();
    } finally {
      // The job of the service may be removing some of the garbage: its transaction is waited for.
      await sql.transaction((tx) => tx.query({ text: 'lock table blobs in exclusive mode' }));
    }
  };
  return {
    client: asDeclared(process.mesh).client(ArtifactsService),
    folder,
    databaseUrl: database.url,
    files: async () => {
      await settle();
      const entries = await readdir(join(folder, 'artifacts'), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    rows: (statement) => sql.forLongWork().query({ text: statement }),
    settle,
    announceDeletion: (accountId) => deletions.announce(bus, accountId),
    [Symbol.asyncDispose]: async () => {
      await process[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
      await sql[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function newKey(over: Partial<Record<'accountId' | 'appName' | 'userId' | 'sessionId' | 'name', string>> = {}) {
  return { accountId: randomUUID(), appName: 'echo', userId: 'u1', sessionId: 's1', name: 'a.bin', ...over };
}

export interface Sent {
  readonly payload?: PayloadKind;
  readonly part?: object;
  readonly metadata?: object;
  readonly chunkBytes?: number;
}

/** All requests of a save, in order. */
export async function* requestsOf(key: Key, bytes: Uint8Array, sent: Sent = {}) {
  const { payload = PayloadKind.DATA, part = { inlineData: { mimeType: 'image/png' } }, metadata, chunkBytes } = sent;
  yield { kind: { case: 'opening' as const, value: { key: { ...key, name: '' } } } };
  const step = chunkBytes ?? 64 * 1024;
  for (let at = 0; at < bytes.length; at += step) {
    yield { kind: { case: 'chunk' as const, value: bytes.subarray(at, at + step) } };
  }
  const customMetadataJson = metadata === undefined ? new Uint8Array(0) : json(metadata);
  const value = { name: key.name, payload, partJson: json(part), customMetadataJson };
  yield { kind: { case: 'commit' as const, value } };
}

export async function save(client: ArtifactsClient, key: Key, bytes: Uint8Array, sent?: Sent): Promise<Version> {
  const { version } = await client.saveArtifact(requestsOf(key, bytes, sent));
  if (version === undefined) throw new Error('no version');
  return version;
}

export const saveText = (client: ArtifactsClient, key: Key, text: string) =>
  save(client, key, Buffer.from(text), { payload: PayloadKind.TEXT, part: {} });

export const saveReference = (client: ArtifactsClient, key: Key, fileUri: string) =>
  save(client, key, new Uint8Array(0), { payload: PayloadKind.NONE, part: { fileData: { fileUri } } });

export async function load(client: ArtifactsClient, key: Key, over: object = {}) {
  let head: LoadedArtifact | undefined;
  const chunks: Uint8Array[] = [];
  for await (const { kind } of client.loadArtifact({ key, ...over })) {
    if (kind.case === 'head') head = kind.value;
    if (kind.case === 'chunk') chunks.push(kind.value);
  }
  if (head === undefined) throw new Error('no head');
  return { head, bytes: Buffer.concat(chunks), text: Buffer.concat(chunks).toString() };
}

export async function versions(client: ArtifactsClient, key: Key): Promise<Version[]> {
  const found: Version[] = [];
  for await (const page of client.listVersions({ key })) found.push(...page.versions);
  return found;
}

export async function names(client: ArtifactsClient, { name: _, ...scope }: Key): Promise<string[]> {
  const found: string[] = [];
  for await (const page of client.listArtifacts(scope)) found.push(...page.names);
  return found;
}

export function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
