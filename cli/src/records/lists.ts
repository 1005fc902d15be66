import { InvalidRequestError } from '@agentmesh/client';
import type { Command } from 'commander';
import { sessionOf } from '../setup/session.ts';
import { ask, readStdin } from '../terminal/ask.ts';
import { firstOf, showFirst } from '../terminal/first-of.ts';
import { day, groups, wholeNumber } from '../terminal/values.ts';

/** `schedules`, `webhooks`, `keys`, `usage`, `tokens` and `memory`. */
export function addRecordCommands(program: Command): void {
  addSchedules(program);
  addWebhooks(program);
  addKeys(program);
  addTokens(program);
  addUsage(program);
  addMemory(program);
}

function addSchedules(program: Command): void {
  const schedules = program
    .command('schedules')
    .description('messages that are sent at the times of a cron expression');
  schedules
    .command('list')
    .description('list the schedules')
    .action(async (_: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.rows(await mesh.schedules.list(), [
        'id',
        'cron',
        'timezone',
        'app_name',
        'user_id',
        'enabled',
        'next_times',
      ]);
    });
  schedules
    .command('create')
    .argument('<cron>', 'for example "0 9 * * MON-FRI"')
    .argument('<app>')
    .argument('<text>')
    .option('--timezone <name>', 'for example Europe/Berlin', 'UTC')
    .option('--user <id>', 'the end user', 'user')
    .action(async (...given: [string, string, string, { timezone: string; user: string }, Command]) => {
      const [cron, app, text, options, command] = given;
      const { mesh, output } = sessionOf(command);
      const { timezone, user } = options;
      const message = { role: 'user' as const, parts: [{ text }] };
      const named = { app_name: app, user_id: user, new_message: message };
      output.record(await mesh.schedules.create({ cron, timezone, ...named }));
    });
  for (const verb of ['pause', 'resume', 'delete'] as const)
    schedules
      .command(verb)
      .argument('<schedule>')
      .action(async (id: string, _: object, command: Command) => {
        const { mesh, output } = sessionOf(command);
        const schedule = await mesh.schedules[verb](id);
        if (schedule !== undefined) output.record(schedule);
      });
}

function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('subscriptions to mailboxes, and what came from them');
  webhooks
    .command('list')
    .description('list the subscriptions')
    .action(async (_: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.rows(await mesh.webhooks.list(), [
        'id',
        'provider',
        'mailbox',
        'agent_id',
        'status',
        'expiration_datetime',
      ]);
    });
  webhooks
    .command('logs')
    .description('list what arrived, newest first')
    .option('--limit <count>', 'how many', wholeNumber(1), 20)
    .action(async ({ limit: count }: { limit: number }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const first = await firstOf((limit) => mesh.webhooks.logs({ limit }), count);
      showFirst(output, first, ['id', 'status', 'email_subject', 'email_sender', 'created_at']);
    });
  webhooks
    .command('retrigger')
    .description('run the agent again for a mail that arrived')
    .argument('<log>', 'its id in the logs')
    .action(async (id: string, _: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const sent = mesh.webhooks.retrigger(id).catch((error: unknown) => {
        // A text that is no number cannot be the id of a log.
        if (error instanceof InvalidRequestError && error.faults.some(({ loc }) => loc[0] === 'path'))
          throw new Error(`There is no log ${id}. Type: agentmesh webhooks logs`);
        throw error;
      });
      output.record(await sent);
    });
}

function addKeys(program: Command): void {
  const keys = program.command('keys').description('saved keys for model providers');
  keys
    .command('list')
    .description('list the keys, without their values')
    .action(async (_: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.rows(await mesh.keys.list(), [
        'api_key_id',
        'key_name',
        'provider',
        'last_four',
        'status',
        'last_used_at',
      ]);
    });
  keys
    .command('create')
    .description('save a key, whose value is read from stdin or asked for')
    .argument('<provider>', 'for example openai')
    .argument('<name>')
    .action(async (provider: string, name: string, _: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const value = process.stdin.isTTY ? await ask('Key: ', true) : await readStdin();
      output.record(await mesh.keys.create({ provider, key_name: name, api_key_value: value }));
    });
  keys
    .command('test')
    .description('ask the provider whether a key is good')
    .argument('<key>')
    .action(async (id: string, _: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.record(await mesh.keys.test(id).catch((error: unknown) => throwNoKey(error, id)));
    });
  keys
    .command('delete')
    .argument('<key>')
    .action(async (id: string, _: object, command: Command) => {
      await sessionOf(command)
        .mesh.keys.delete(id)
        .catch((error: unknown) => throwNoKey(error, id));
    });
}

/** The server answers a text that cannot be the id of a key with 400, without a code. */
function throwNoKey(error: unknown, id: string): never {
  if (!(error instanceof InvalidRequestError && error.code === '')) throw error;
  throw new Error(`There is no key ${id}. Type: agentmesh keys list`);
}

function addTokens(program: Command): void {
  const tokens = program.command('tokens').description('personal tokens, for programs');
  tokens
    .command('list')
    .description('list the tokens')
    .action(async (_: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.rows(await mesh.tokens.list().all(), ['id', 'name', 'user_id', 'expires_at', 'last_used_at', 'scopes']);
    });
  tokens
    .command('revoke')
    .argument('<token>', 'its id')
    .action(async (id: string, _: object, command: Command) => sessionOf(command).mesh.tokens.revoke(id));
}

function addUsage(program: Command): void {
  program
    .command('usage')
    .description('what the account has used of models')
    .option('--from <day>', 'for example 2026-01-01', day)
    .option('--to <day>', 'for example 2026-01-31', day)
    .option('--by <group>', 'day, model, agent, user, key or run', groups, 'model')
    .action(async ({ from, to, by }: Record<string, string>, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const query = { from, to, group_by: by } as Parameters<typeof mesh.usage.get>[0];
      const { usage } = await mesh.usage.get(query);
      output.rows(usage, Object.keys(usage[0] ?? { model: '' }));
    });
}

function addMemory(program: Command): void {
  program
    .command('memory')
    .description('what past sessions have said')
    .command('search')
    .description('find entries by their words')
    .argument('<app>')
    .argument('<query>')
    .option('--user <id>', 'the end user', 'user')
    .action(async (app: string, query: string, { user }: { user: string }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.rows(await mesh.memory.search({ app, user }, query), ['id', 'timestamp', 'author', 'content']);
    });
}
