import { createInterface, type Interface } from 'node:readline/promises';
import type { RunRequest } from '@agentmesh/client';
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
      const say = async (request: RunRequest): Promise<number> => {
        const leaving = new AbortController();
        const code = await followRun(mesh.runs.stream({ ...request, signal: leaving.signal }), output);
        // A run that was left goes on, and is heard no more.
        leaving.abort();
        return code;
      };
      const prompt = output.isTerminal ? prompter(lines) : () => undefined;
      prompt();
      for await (const text of lines) {
        if (text.trim() !== '') process.exitCode = await say({ ...place, session, text });
        prompt();
      }
    });
}

/** Shows the prompt, unless the input has ended. Ctrl-C is for the run that goes on; without one it ends the chat. */
function prompter(lines: Interface): () => void {
  let isOpen = true;
  lines.setPrompt('> ');
  lines.on('close', () => (isOpen = false));
  // A terminal that is read by line sends no signal to the process.
  lines.on('SIGINT', () => process.emit('SIGINT') || lines.close());
  return () => {
    if (isOpen) lines.prompt();
  };
}
