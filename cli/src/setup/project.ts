import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../terminal/exit-code.ts';
import { writeNamed } from '../terminal/named-file.ts';
import { createOutput } from '../terminal/output.ts';
import { filesOfProject } from './files-of-project.ts';
import { openConsole } from './open-console.ts';

/** `agentmesh init` and `agentmesh dev`. */
export function addProject(program: Command): void {
  program
    .command('init')
    .description('make a folder with an agent in YAML, one with tools in TypeScript, and a test')
    .argument('<folder>')
    .action(async (folder: string) => {
      if (existsSync(folder) && !statSync(folder).isDirectory())
        throw new UsageError(`${folder} is no folder: name another one.`);
      if (existsSync(folder) && readdirSync(folder).length > 0)
        throw new UsageError(`${folder} is not empty: name another folder.`);
      await writeNamed(folder, () => {
        for (const [file, text] of Object.entries(filesOfProject(nameOf(folder)))) {
          mkdirSync(dirname(join(folder, file)), { recursive: true });
          writeFileSync(join(folder, file), text);
        }
      });
      createOutput(false).note(`Made ${folder}. Now type: cd ${folder} && npx agentmesh dev`);
    });
  program
    .command('dev')
    .description('start a mesh with the agents of this folder, and open the console in the browser')
    .option('--no-open', 'do not open the browser')
    .action(async ({ open }: { open: boolean }) => {
      const agents = resolve('agents');
      if (!existsSync(agents)) throw new UsageError('There is no folder agents here. Type: agentmesh init my-agents');
      const starter = join(import.meta.dirname, '..', '..', '..', 'scripts', 'run.mjs');
      if (!existsSync(starter))
        throw new UsageError('The server is not part of this package: run agentmesh from a clone of the repository.');
      const child = spawn(process.execPath, [starter, 'dev'], {
        stdio: 'inherit',
        env: { ...process.env, AGENTS_DIR: agents },
      });
      const ended = new AbortController();
      const url = `http://127.0.0.1:${process.env.PORT || '8000'}`;
      if (open && process.stdout.isTTY) void openConsole(url, ended.signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      ended.abort();
      process.exitCode = code ?? 1;
    });
}

function nameOf(folder: string): string {
  const name =
    resolve(folder)
      .split('/')
      .at(-1)
      ?.replaceAll(/[^A-Za-z0-9_]/g, '_') ?? '';
  return /^[A-Za-z_]/.test(name) ? name : `agent_${name}`;
}
