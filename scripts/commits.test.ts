import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Commit, faultsOf, readCommits } from './commits.ts';

const small: Commit = { id: 'abc1234', subject: 'Give schedules their turn by account', body: '', codeLines: 4 };

describe('the form of a commit', () => {
  test('a short subject without a body is right for a small change', () => {
    expect(faultsOf(small)).toEqual([]);
  });

  test('a subject of more than 72 characters is refused', () => {
    expect(faultsOf({ ...small, subject: 'x'.repeat(72) })).toEqual([]);
    expect(faultsOf({ ...small, subject: 'x'.repeat(73) })).toEqual([expect.stringContaining('73 characters')]);
  });

  test('a subject that ends with a period is refused', () => {
    expect(faultsOf({ ...small, subject: 'Do it.' })).toEqual([expect.stringContaining('ends with a period')]);
  });

  test('a change of more than 20 lines of code has a body, and a trailer is none', () => {
    const large = { ...small, codeLines: 21 };
    expect(faultsOf(large)).toEqual([expect.stringContaining('21 lines of code')]);
    expect(faultsOf({ ...large, body: 'Signed-off-by: A <a@example.com>\n' })).toHaveLength(1);
    expect(faultsOf({ ...large, body: 'A tick was 33 s late.\n' })).toEqual([]);
  });
});

describe('the commits of a branch', () => {
  let folder: string;
  const git = (...args: string[]): void => {
    const names = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...names, ...args], { cwd: folder, stdio: 'ignore' });
  };
  const commit = (files: Readonly<Record<string, number>>, ...message: string[]): void => {
    for (const [file, lines] of Object.entries(files)) writeFileSync(join(folder, file), 'a\n'.repeat(lines));
    git('add', '-A');
    git('commit', ...message.flatMap((text) => ['-m', text]));
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agentmesh-commits-'));
    git('init', '-b', 'main');
    commit({ 'one.ts': 30 }, 'Commit of the default branch, which is not read again');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('are read from where it left the default branch, with their lines of code', async () => {
    git('checkout', '-b', 'work');
    commit({ 'two.ts': 25, 'two.md': 400 }, 'Add two', 'It was missing.');
    git('mv', 'one.ts', 'three.ts');
    commit({}, 'Move one');
    expect(await readCommits(folder)).toEqual([
      { id: expect.any(String), subject: 'Move one', body: '', codeLines: 0 },
      { id: expect.any(String), subject: 'Add two', body: 'It was missing.\n', codeLines: 25 },
    ]);
  });

  test('are none on the default branch itself, and unknown where there is no default branch', async () => {
    expect(await readCommits(folder)).toEqual([]);
    git('branch', '-m', 'other');
    expect(await readCommits(folder)).toBeUndefined();
  });
});
