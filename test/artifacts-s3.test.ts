import { randomBytes } from 'node:crypto';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { newAccount, sessionPath } from './caller.ts';
import { agentsDir, startMesh } from './mesh.ts';
import { findS3Gateway, s3Keys, startS3Gateway } from './programs/s3-gateway.ts';

const isFull = process.env.VERIFY === 'full';
const program = isFull ? findS3Gateway() : undefined;
const payloads = 6;

/** Answers have the alphabet of URLs, as ADK's have. */
const decoded = (data = ''): string => Buffer.from(data, 'base64url').toString('base64');

test.skipIf(program === undefined)(
  'two replicas of artifacts share the S3 server of the chart, which keeps payloads when it is killed',
  async () => {
    await using server = await startS3Gateway(program ?? '');
    await using database = await testDatabaseUrl();
    const env = {
      AGENTS_DIR: agentsDir,
      ARTIFACT_STORE_URL: 's3://artifacts',
      ARTIFACT_S3_ENDPOINT: server.endpoint,
      ARTIFACT_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
      ARTIFACT_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    };
    const only = ['artifacts', 'auth', 'runs', 'sessions'];
    const options = { mode: 'separate', only, doubled: ['artifacts'], databaseUrl: database.url, env } as const;
    await using mesh = await startMesh(options);
    const caller = await newAccount(mesh.url);
    const path = `${sessionPath(await caller.createSession())}/artifacts`;
    // The largest is sent in several parts.
    const all = Array.from({ length: payloads }, (_, n) => randomBytes(200_000 + n * 1_200_000).toString('base64'));
    for (const [n, data] of all.entries()) {
      const artifact = { inlineData: { mimeType: 'application/octet-stream', data } };
      expect((await caller.request('POST', path, { filename: `${n}.bin`, artifact })).status).toBe(200);
    }
    const readAll = async (): Promise<string[]> => {
      const read = all.map((_, n) => caller.request<{ inlineData?: { data?: string } }>('GET', `${path}/${n}.bin`));
      return (await Promise.all(read)).map(({ body }) => decoded(body.inlineData?.data));
    };
    expect(await readAll()).toEqual(all);
    await server.restart();
    for (const name of ['artifacts', 'artifacts-2']) {
      await mesh.kill(name);
      await expect.poll(readAll, { timeout: 60_000 }).toEqual(all);
      await mesh.restart();
    }
    expect((await caller.request('DELETE', `${path}/0.bin`)).status).toBe(200);
    expect((await caller.request('GET', `${path}/0.bin`)).status).toBe(404);
  },
  600_000,
);
