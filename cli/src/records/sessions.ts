import type { Command } from 'commander';
import { sessionOf } from '../setup/session.ts';
import { firstOf, showFirst } from '../terminal/first-of.ts';
import { wholeNumber } from '../terminal/values.ts';

/** `agentmesh sessions`. */
export function addSessions(program: Command): void {
  const sessions = program.command('sessions').description('conversations of end users with apps');
  sessions
    .command('list')
    .description('list the sessions of an end user, newest first')
    .argument('<app>')
    .option('--user <id>', 'the end user', 'user')
    .option('--limit <count>', 'how many', wholeNumber(1), 100)
    .action(async (app: string, { user, limit: count }: { user: string; limit: number }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const first = await firstOf((limit) => mesh.sessions.list({ app, user }, { order: 'desc', limit }), count);
      showFirst(output, first, ['id', 'appName', 'userId', 'lastUpdateTime']);
    });
  sessions
    .command('get')
    .description('show a session with its events')
    .argument('<app>')
    .argument('<session>')
    .option('--user <id>', 'the end user', 'user')
    .action(async (app: string, session: string, { user }: { user: string }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.record(await mesh.sessions.get({ app, user, session }));
    });
  sessions
    .command('delete')
    .argument('<app>')
    .argument('<session>')
    .option('--user <id>', 'the end user', 'user')
    .action(async (app: string, session: string, { user }: { user: string }, command: Command) => {
      await sessionOf(command).mesh.sessions.delete({ app, user, session });
    });
}
