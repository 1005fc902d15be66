import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { sessionOf } from '../setup/session.ts';
import { followRun } from './follow-run.ts';

/** `agentmesh chat`: one session, a run for each line. */
export function addChat(program: Command): void {
  program
    .command('chat')
    .description('talk with an agent, line by line; Ctrl-D ends it')
    .argument('<app>')
    .option('--session <id>', 'an existing session; a new one by default')
    .option('--user <id>', 'the end user', 'user')
    .action(async (app: string, options: { session?: string; user: string }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const place = { app, user: options.user };
      const session = options.session ?? (await mesh.sessions.create(place)).id;
      output.note(`session ${session}`);
      const lines = createInterface({ input: process.stdin, output: output.isTerminal ? process.stderr : undefined });
      lines.setPrompt('> ');
      if (output.isTerminal) lines.prompt();
      for await (const text of lines) {
        if (text.trim() !== '')
          process.exitCode = await followRun(mesh.runs.stream({ ...place, session, text }), output);
        if (output.isTerminal) lines.prompt();
      }
    });
}
