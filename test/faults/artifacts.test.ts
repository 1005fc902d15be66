import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { artifactCaller } from '../artifact-caller.ts';
import { type Caller, newAccount } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  mesh = await startMesh({ mode: 'all', env: { AGENTS_DIR: agentsDir, ARTIFACT_MAX_BYTES: '20000000' } });
  caller = await newAccount(mesh.url);
});
afterAll(() => mesh[Symbol.asyncDispose]());

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('after kill -9 during saves every acknowledged version exists, and every other is complete or absent', {
  timeout: 120_000,
}, async () => {
  const artifacts = artifactCaller(caller);
  const at = `/apps/echo/users/u1/sessions/${randomUUID()}/artifacts`;
  for (const pauseMs of [150, 400]) {
    const sent = new Map<string, string[]>();
    const acknowledged: { name: string; version: number; hash: string }[] = [];
    let killed = false;
    const write = async (name: string): Promise<void> => {
      for (let turn = 0; !killed; turn += 1) {
        const bytes = randomBytes([300, 150_000, 2_500_000][turn % 3] ?? 0);
        const hash = hashOf(bytes);
        sent.set(name, [...(sent.get(name) ?? []), hash]);
        const artifact = { inlineData: { data: bytes.toString('base64'), mimeType: 'a/b' } };
        const saving =
          turn % 2 === 0 ? artifacts.send('PUT', `${at}/${name}`, bytes) : artifacts.save(at, name, artifact);
        const answer = await saving.catch(() => undefined);
        if (answer?.status === 200) acknowledged.push({ name, version: answer.body.version, hash });
      }
    };
    const names = Array.from({ length: 6 }, (_, index) => `${pauseMs}-${index}`);
    const writers = names.map((name) => write(name).catch(() => undefined));
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(pauseMs / 10);
    killed = true;
    await mesh.kill();
    await Promise.all(writers);
    await mesh.restart();
    for (const name of names) {
      const { body: versions } = await artifacts.get<number[]>(`${at}/${name}/versions`);
      expect(versions).toEqual(versions.map((_, index) => index));
      for (const version of versions) {
        const loaded = await artifacts.media(`${at}/${name}/versions/${version}`);
        const hash = hashOf(Buffer.from(await loaded.arrayBuffer()));
        expect(sent.get(name)).toContain(hash);
        const known = acknowledged.find((one) => one.name === name && one.version === version);
        if (known !== undefined) expect(hash).toBe(known.hash);
      }
      const last = Math.max(-1, ...acknowledged.filter((one) => one.name === name).map(({ version }) => version));
      expect(versions.length).toBeGreaterThan(last);
    }
  }
});

test('a save over ARTIFACT_MAX_BYTES is refused during the upload, and nothing is stored', async () => {
  const artifacts = artifactCaller(caller);
  const at = `/apps/echo/users/u1/sessions/${randomUUID()}/artifacts`;
  const bytes = randomBytes(20_000_001);
  const refusal = { status: 413, body: { code: 'artifact_too_large' } };
  expect(await artifacts.send('PUT', `${at}/x`, bytes)).toMatchObject(refusal);
  const artifact = { inlineData: { data: bytes.toString('base64') } };
  expect(await artifacts.save(at, 'x', artifact)).toMatchObject(refusal);
  expect((await artifacts.get(at)).body).toEqual([]);
  expect(await artifacts.send('PUT', `${at}/x`, bytes.subarray(1))).toMatchObject({ status: 200 });
  const rest = { filename: 'y', artifact: { text: 'x' }, customMetadata: { padding: 'x'.repeat(21_000_000) } };
  expect(await caller.request('POST', at, rest)).toMatchObject({ status: 413 });
});
