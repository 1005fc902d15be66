import type { Command } from 'commander';
import { sessionOf } from '../setup/session.ts';

/** `agentmesh sessions`. */
export function addSessions(program: Command): void {
  const sessions = program.command('sessions').description('conversations of end users with apps');
  sessions
    .command('list')
    .description('list the sessions of an end user, newest first')
    .argument('<app>')
    .option('--user <id>', 'the end user', 'user')
    .action(async (app: string, { user }: { user: string }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const page = await mesh.sessions.list({ app, user }, { order: 'desc' }).page();
      output.rows(page.items, ['id', 'appName', 'userId', 'lastUpdateTime']);
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
