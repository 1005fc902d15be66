import { beforeAll, describe, expect, inject, test } from 'vitest';
import { artifactCaller, type Part, place, type Version } from '../../artifact-caller.ts';
import { type Caller, newAccount } from '../../caller.ts';

let caller: Caller;
let artifacts: ReturnType<typeof artifactCaller>;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  artifacts = artifactCaller(caller);
});

const customMetadata = { foo: 'bar' };
/** A session with two versions of a file. */
async function twoVersions(filename: string): Promise<string> {
  const at = place();
  await artifacts.save(at, filename, { text: 'v0' });
  await artifacts.save(at, filename, { text: 'v1' }, { customMetadata });
  return at;
}
const read = async (path: string) => (await artifacts.get<Part>(path)).body.text;

describe('the artifacts of ADK’s own test cases', () => {
  test('test_list_artifact_names', async () => {
    expect(await artifacts.get(place())).toMatchObject({ status: 200, body: [] });
  });

  test('test_save_artifact', async () => {
    const at = place();
    const { status, body } = await artifacts.save(at, 'greeting.txt', { text: 'hello world' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 0, customMetadata: {}, createTime: expect.any(Number) });
    expect(body.mimeType).toBe('text/plain');
    expect(body.canonicalUri.endsWith(`${at.slice(at.indexOf('/sessions/'))}/greeting.txt/versions/0`)).toBe(true);
    expect(await read(`${at}/greeting.txt`)).toBe('hello world');
  });

  test('test_save_artifact_reference', async () => {
    const at = place();
    const target = await artifacts.save(at, 'target_file', { text: 'aimed at' });
    const fileData = { fileUri: target.body.canonicalUri, mimeType: 'text/plain' };
    const { status, body } = await artifacts.save(at, 'reference.txt', { fileData });
    expect([status, body.version, body.customMetadata]).toEqual([200, 0, {}]);
    expect(body.canonicalUri).toMatch(/\/artifacts\/reference\.txt\/versions\/0$/);
    expect(await read(`${at}/reference.txt`)).toBe('aimed at');
  });

  test('test_artifact_endpoints_support_nested_names', async () => {
    const filename = 'reports/summary.txt';
    const at = await twoVersions(filename);
    expect((await artifacts.get<string[]>(at)).body).toEqual([filename]);
    for (const name of [filename, encodeURIComponent(filename)]) {
      const path = `${at}/${name}`;
      expect([await read(path), await read(`${path}?version=0`)]).toEqual(['v1', 'v0']);
      expect([await read(`${path}/versions/0`), await read(`${path}/versions/1`)]).toEqual(['v0', 'v1']);
      expect(await read(`${path}/versions/latest`)).toBe('v1');
      expect((await artifacts.get<number[]>(`${path}/versions`)).body).toEqual([0, 1]);
      const all = await artifacts.get<Version[]>(`${path}/versions/metadata`);
      expect(all.body.map((one) => one.customMetadata)).toEqual([{}, customMetadata]);
      for (const version of ['1', 'latest'])
        expect((await artifacts.get(`${path}/versions/${version}/metadata`)).body).toEqual(all.body[1]);
      expect((await artifacts.get(`${path}/versions/invalid`)).status).toBe(422);
      expect((await artifacts.get(`${path}/versions/invalid/metadata`)).status).toBe(422);
    }
    expect((await caller.request('DELETE', `${at}/${encodeURIComponent(filename)}`)).status).toBe(200);
    expect((await artifacts.get(`${at}/${encodeURIComponent(filename)}`)).status).toBe(404);
  });

  test('test_get_artifact_version_metadata', async () => {
    const answer = await artifacts.get(`${await twoVersions('report.txt')}/report.txt/versions/1/metadata`);
    expect(answer).toMatchObject({ status: 200, body: { version: 1, customMetadata, mimeType: 'text/plain' } });
  });

  test('test_list_artifact_versions_metadata', async () => {
    const answer = await artifacts.get(`${await twoVersions('report.txt')}/report.txt/versions/metadata`);
    expect(answer).toMatchObject({ status: 200, body: [{ version: 0 }, { version: 1, customMetadata }] });
  });
});
