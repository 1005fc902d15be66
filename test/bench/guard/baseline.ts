import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Commit that a name such as `v0.1.0` or `HEAD~3` stands for. Absent: the last tag, or the parent of this commit where there is no tag. */
export function commitOf(name: string | undefined): string {
  const wanted = name ?? lastTag() ?? 'HEAD~1';
  const found = git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`);
  if (found === undefined) throw new Error(`no commit of this repository is called ${wanted}`);
  return found;
}

/**
 * Folder with the commit's files and modules. They are made once for each commit, which needs the npm registry, and stand outside of this checkout,
 * so that its tests and checks do not find them.
 */
export function checkOut(commit: string, say: (text: string) => void): string {
  const tree = join(tmpdir(), `agentmesh-bench-${commit.slice(0, 12)}`);
  if (!existsSync(tree) && git('worktree', 'add', '--detach', tree, commit) === undefined) {
    throw new Error(`git cannot check out ${commit} in ${tree}; "git worktree prune" forgets folders that are gone`);
  }
  if (existsSync(join(tree, 'node_modules', '.install-stamp'))) return tree;
  say(`installing the modules of ${commit.slice(0, 12)} (about a minute, once)`);
  // Every npm script installs what is missing before it does its work; this one ends soon.
  spawnSync('node', ['scripts/run.mjs', 'start', '--check'], { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(join(tree, 'node_modules', '.install-stamp'))) throw new Error('the modules could not be installed');
  return tree;
}

function lastTag(): string | undefined {
  return git('describe', '--tags', '--abbrev=0', 'HEAD~1');
}

/** Output of git; undefined when it fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
