import { globSync } from 'node:fs';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAccount } from '../caller.ts';
import { root } from '../deployed-settings.ts';
import { startMesh } from '../mesh.ts';
import { type Block, readBlocks } from './blocks.ts';
import { type Addresses, makeClone, Reader, runLanguages } from './reader.ts';

/** README.md comes first because it creates the account that other pages sign in to. */
const pages = [
  'README.md',
  ...globSync(['*.md', 'docs/*.md', 'deploy/*.md', '{gateway,lib,cli,services/*,sdk/*}/*.md'], { cwd: root }),
]
  .filter((page, index, all) => all.indexOf(page) === index)
  .map((page) => ({ page, blocks: readBlocks(page) }));

const otherNames: Readonly<Record<string, string>> = {
  bash: 'sh',
  shell: 'sh',
  javascript: 'js',
  mjs: 'js',
  py: 'python',
};
const isRun = ({ language, reason, isAnswer, target }: Block): boolean =>
  target !== undefined || (runLanguages.includes(language) && reason === undefined && !isAnswer);

const opened = new AsyncDisposableStack();
let clone: string;
let url: string;
let addresses: Addresses;

beforeAll(async () => {
  clone = opened.use(await makeClone()).folder;
  const database = opened.use(await testDatabaseUrl());
  const [opsPort] = await freePorts(1);
  // A run uses the files as they are saved, like in `npm run dev`.
  const env = { AGENTS_DIR: join(clone, 'agents'), OPS_PORT: String(opsPort), RUNS_REFUSE_MISTAKES: 'true' };
  ({ url } = opened.use(await startMesh({ mode: 'all', databaseUrl: database.url, env })));
  const host = new URL(url).host;
  addresses = new Map([
    ['127.0.0.1:8000', host],
    ['localhost:8000', host],
    ['127.0.0.1:9090', `127.0.0.1:${opsPort}`],
  ]);
});

afterAll(() => opened.disposeAsync());

describe('blocks of code in the documentation', () => {
  test('name their language, which decides whether the test runs them', () => {
    const renamed = pages.flatMap(({ blocks }) => blocks.filter(({ language }) => Object.hasOwn(otherNames, language)));
    expect(
      renamed.map(({ file, line, language }) => `${file}:${line}: ${language} -> ${otherNames[language]}`),
    ).toEqual([]);
  });

  test('with an answer follow a command', () => {
    const stray = pages.flatMap(({ blocks }) =>
      blocks.filter(({ isAnswer }, index) => isAnswer && (index === 0 || !isRun(blocks[index - 1] as Block))),
    );
    expect(stray.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  });

  test.each(pages.filter(({ blocks }) => blocks.some(isRun)))(
    'work when they are run in order: $page',
    async ({ page, blocks }) => {
      const token = page === 'README.md' ? undefined : (await newAccount(url)).token;
      await using reader = await Reader.create(clone, addresses, token === undefined ? {} : { TOKEN: token });
      let output: string | undefined;
      for (const block of blocks) {
        if (isRun(block)) output = await reader.follow(block);
        else if (block.isAnswer && output !== undefined) expectAnswer(block, output);
      }
    },
    180_000,
  );
});

/** Whether the output contains the parts between `…` in this order. Any amount of white space equals any other. */
function expectAnswer({ file, line, code }: Block, output: string): void {
  const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
  const parts = code.split('…').map((part) => plain(part).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  expect(plain(output), `the answer at ${file}:${line}`).toMatch(new RegExp(parts.join('.*'), 's'));
}
