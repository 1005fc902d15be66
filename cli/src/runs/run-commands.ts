import type { AgentMesh, Run, RunStatus } from '@agentmesh/client';
import { type Command, Option } from 'commander';
import { sessionOf } from '../setup/session.ts';
import { UsageError } from '../terminal/exit-code.ts';
import { firstOf, showFirst } from '../terminal/first-of.ts';
import { dollars, wholeNumber } from '../terminal/values.ts';
import { followRun } from './follow-run.ts';
import { messageOf, type MessageOptions } from './message-of.ts';

const columns = ['invocationId', 'status', 'appName', 'userId', 'sessionId', 'createTime', 'model'];

/** Ids of runs are unique in a session only. */
const sessionOption = [
  '--session <id>',
  'the session of the run, where runs of several have its id; else the newest one is meant',
] as const;

interface InSession {
  readonly session?: string | undefined;
}

const runOf = (invocationId: string, { session: sessionId }: InSession) => ({ invocationId, sessionId });

interface RunOptions extends MessageOptions {
  readonly session?: string;
  readonly user: string;
  readonly background?: true;
}

/** Commands that start, watch and change runs. */
export function addRunCommands(program: Command): void {
  program
    .command('run')
    .description('send a message to an agent and print its answer as it comes')
    .argument('<app>', 'name of the app, such as echo')
    .argument('[text]', '`-` reads it from stdin')
    .option('--file <path...>', 'files that go with the text', [])
    .option('--message <json>', 'a whole content in place of a text')
    .option('--session <id>', 'an existing session; a new one by default')
    .option('--user <id>', 'the end user', 'user')
    .option('--background', 'print the id of the run and do not watch it')
    .action(async (app: string, text: string | undefined, options: RunOptions, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const { session, user, background } = options;
      const request = { app, user, session, message: await messageOf(text, options) };
      if (background === true) {
        const record = await mesh.runs.start(request);
        if (output.isJson) output.record(record);
        else output.line(record.invocationId);
        return;
      }
      process.exitCode = await followRun(mesh.runs.stream(request), output);
    });
  addTail(program);
  addLogs(program);
  addLists(program);
  addChanges(program);
}

function addTail(program: Command): void {
  program
    .command('tail')
    .description('watch a run from its beginning, by default the newest one')
    .argument('[run]')
    .option(...sessionOption)
    .action(async (id: string | undefined, { session }: InSession, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const wanted = id === undefined ? await newestOf(mesh, session) : runOf(id, { session });
      process.exitCode = await followRun(mesh.runs.watch(wanted), output, session);
    });
}

/** The newest run, or the newest of a session. Throws UsageError where there is none. */
async function newestOf(mesh: AgentMesh, session: string | undefined): Promise<Run> {
  const { items, isCut } = await firstOf((limit) => mesh.runs.list({ session, limit }), 1);
  const [newest] = items;
  if (newest !== undefined) return newest;
  if (isCut) throw new UsageError(notAll);
  if (session !== undefined) throw new UsageError('There is no run in this session.');
  throw new UsageError('There is no run yet. Type: agentmesh run echo Hello');
}

/** A session is found at once by its whole name, and its id alone by looking through the runs of the account. */
const notAll =
  'Not all runs were looked through. To see those of one session, type: agentmesh runs --app <app> --user <id> --session <id>';

function addLogs(program: Command): void {
  program
    .command('logs')
    .description('print what code of a run has printed, and what the server warns of')
    .argument('<run>')
    .option(...sessionOption)
    .action(async (id: string, options: InSession, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const log = await mesh.runs.log(runOf(id, options));
      if (output.isJson) return output.record(log);
      for (const line of log.lines) output.line(textOfLine(line));
      if (log.leftOut !== undefined) output.note(`${log.leftOut} further lines were not kept.`);
      else if (log.lines.length === 0) output.note('There are none.');
    });
}

type LogLine = Awaited<ReturnType<AgentMesh['runs']['log']>>['lines'][number];

/** Time, level and message. Further lines of a message are indented, and so are the frames of a stack; a terminal is sent no control characters. */
function textOfLine({ time, level, message, attributes }: LogLine): string {
  const stack = attributes?.['stack'];
  const text = typeof stack === 'string' ? `${message}\n${stack}` : message;
  const lines = text.split(/\r?\n/).map((line) => line.replaceAll('\t', '  ').replaceAll(/\p{Cc}+/gu, ''));
  return `${new Date(time * 1_000).toISOString()} ${level.padEnd(5)} ${lines.join('\n    ')}`;
}

const statuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'interrupted'] as const;

interface ListOptions extends InSession {
  readonly status?: RunStatus;
  readonly app?: string;
  readonly user?: string;
  readonly agentVersion?: string;
  readonly minCost?: number;
  readonly limit: number;
}

function addLists(program: Command): void {
  program
    .command('runs')
    .description('list runs, newest first, or show one')
    .argument('[run]')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(statuses))
    .option('--app <app>')
    .option('--user <id>')
    .option(
      '--session <id>',
      'only runs of this session; with a run: the one of this session, where runs of several have its id',
    )
    .option('--agent-version <version>', 'only runs that this version of the agent has answered')
    .option('--min-cost <dollars>', 'only runs that have cost so much or more', dollars)
    .option('--limit <count>', 'how many', wholeNumber(1), 20)
    .action(async (id: string | undefined, { limit: count, ...filter }: ListOptions, command: Command) => {
      const { mesh, output } = sessionOf(command);
      if (id !== undefined) return output.record(await mesh.runs.get(runOf(id, filter)));
      const first = await firstOf((limit) => mesh.runs.list({ ...filter, limit }), count);
      showFirst(output, first, columns);
      if (first.isCut) output.note(notAll);
    });
  program
    .command('inbox')
    .description('list runs that wait for a person')
    .action(async (_: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const runs = await mesh.runs.inbox().all();
      if (output.isJson) return output.rows(runs, []);
      const rows = runs.flatMap(({ waitingFor = [], ...run }) => waitingFor.map((call) => ({ ...run, ...call })));
      output.rows(rows, ['invocationId', 'appName', 'sessionId', 'functionCallId', 'name', 'args']);
    });
}

interface AnswerOptions extends InSession {
  readonly call?: string;
  readonly background?: true;
}

function addChanges(program: Command): void {
  program
    .command('cancel')
    .description('stop a run')
    .argument('<run>')
    .option(...sessionOption)
    .action(async (id: string, options: InSession, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const run = await mesh.runs.cancel(runOf(id, options));
      if (output.isJson) output.record(run);
      else output.line(run.status);
    });
  program
    .command('answer')
    .description('answer what a run waits for, and print what it says then')
    .argument('<run>')
    .argument('<response>', 'JSON, such as \'{"confirmed": true}\'; another text becomes {"result": text}')
    .option('--call <id>', 'the call, where the run waits for several')
    .option(...sessionOption)
    .option('--background', 'do not watch the run')
    .action(async (id: string, text: string, options: AnswerOptions, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const run = mesh.runs.watch(runOf(id, options));
      // The words of the run so far are known.
      for await (const _ of run);
      for await (const _ of run.text);
      const response = responseOf(text);
      await run.answer(options.call === undefined ? response : { id: options.call, response });
      if (options.background !== true) process.exitCode = await followRun(run, output, options.session);
    });
}

function responseOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return { result: value };
  } catch {
    return { result: text };
  }
}
