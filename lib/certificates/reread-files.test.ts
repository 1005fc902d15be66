import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { testCertificate } from '../rpc/testing/index.ts';
import { type Certificates, checkCertificates, rereadFiles } from './index.ts';

const certificates = [testCertificate(), testCertificate()].map((one) => ({
  ca: String(one?.ca),
  cert: String(one?.cert),
  key: String(one?.key),
}));
const [former, next] = certificates as [Required<Certificates>, Required<Certificates>];
const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

/** A folder that is replaced as a whole, as Kubernetes replaces a mounted Secret. */
async function mount(texts: Certificates) {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  resources.defer(() => rm(folder, { recursive: true }));
  let version = 0;
  const replace = async (by: Certificates): Promise<void> => {
    version += 1;
    await mkdir(join(folder, `..${version}`));
    for (const [name, text] of Object.entries(by)) await writeFile(join(folder, `..${version}`, name), text as string);
    await symlink(`..${version}`, join(folder, '..next'));
    await rename(join(folder, '..next'), join(folder, '..data'));
  };
  await replace(texts);
  const paths = await Promise.all(
    ['ca', 'cert', 'key'].map(async (name) => {
      await symlink(join('..data', name), join(folder, name));
      return [name, join(folder, name)] as const;
    }),
  );
  return { replace, files: Object.fromEntries(paths) as Record<'ca' | 'cert' | 'key', string> };
}

async function reread(files: Record<'ca' | 'cert' | 'key', string>) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const use = (texts: Required<Certificates>) => {
    checkCertificates(texts);
    return texts;
  };
  const found = await rereadFiles({ files, use, log, pauseMs: 20 });
  resources.use(found);
  return { found, warnings: () => lines.filter(({ level }) => level === 40) };
}

describe.skipIf(testCertificate() === undefined)('files of TLS that change', () => {
  test('a mounted folder that is replaced is read again, and listeners are told until they leave', async () => {
    const { files, replace } = await mount(former);
    const { found, warnings } = await reread(files);
    let [stayed, left] = [0, 0];
    found.onChange(() => (stayed += 1));
    const leaving = found.onChange(() => (left += 1));
    expect(found.current).toEqual(former);
    await replace(next);
    await expect.poll(() => found.current).toEqual(next);
    leaving[Symbol.dispose]();
    await replace(former);
    await expect.poll(() => found.current).toEqual(former);
    expect([stayed, left, warnings().length]).toEqual([2, 1, 0]);
  });

  test.each([
    { broken: 'a text that is no certificate', texts: { ...next, cert: 'none' } },
    { broken: 'the key of another certificate', texts: { ...next, key: former.key } },
    { broken: 'an authority that is cut off', texts: { ...next, ca: former.ca + next.ca.slice(0, -60) } },
    { broken: 'no authority', texts: { ...next, ca: '' } },
    { broken: 'a missing file', texts: { ca: next.ca, cert: next.cert } },
  ])('$broken is told in one warning, and the former files stay in use', async ({ texts }) => {
    const { files, replace } = await mount(former);
    const { found, warnings } = await reread(files);
    await replace(texts);
    await expect.poll(() => warnings().length).toBe(1);
    expect(found.current).toEqual(former);
    await replace(next);
    await expect.poll(() => found.current).toEqual(next);
    expect(warnings()).toHaveLength(1);
  });

  test('files that are broken at first are an error', async () => {
    const { files } = await mount({ ...former, cert: 'none' });
    await expect(reread(files)).rejects.toThrow();
  });
});
