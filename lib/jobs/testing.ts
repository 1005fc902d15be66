import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Database, openDatabase } from '../pg/index.ts';
import { testDatabaseUrl } from '../pg/testing/index.ts';
import { createLogger, createMetrics, type Metrics } from '../telemetry/index.ts';
import { defineTask, type Jobs, openJobs, type Task } from './index.ts';

export interface Greeting {
  readonly to: string;
}

const rules = { retrySeconds: [5, 30], timeoutSeconds: 10, atOnce: 3, pollSeconds: 0.5 };
const read = (payload: unknown): Greeting => {
  const { to } = payload as Partial<Greeting>;
  if (typeof to !== 'string') throw new TypeError('a greeting is to somebody');
  return { to };
};
export const greet = defineTask<Greeting>({ name: 'greet', read, ...rules });
/** An attempt has one second. */
export const greetSoon = defineTask<Greeting>({ name: 'greet-soon', read, ...rules, timeoutSeconds: 1 });
export const greetThrice = defineTask<Greeting>({
  name: 'greet-thrice',
  read,
  ...rules,
  mostAttempts: 3,
  personal: true,
});

/** A test service that greets names, on a new database. */
export interface TestQueue extends AsyncDisposable {
  readonly url: string;
  readonly db: Database;
  readonly jobs: Jobs;
  readonly metrics: Metrics;
  /** Messages logged so far, from `info` on. */
  readonly logged: string[];
  /** Opens another replica with its own connections to this database, or to another one. */
  openDatabase(address?: string): Promise<Database>;
  openJobs(db: Database, draining?: AbortSignal): Promise<Jobs>;
}

export async function openTestQueue(): Promise<TestQueue> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'jobs-'));
  resources.defer(() => rm(folder, { recursive: true }));
  const { url } = resources.use(await testDatabaseUrl());
  const logged: string[] = [];
  const write = (line: string): void => void logged.push((JSON.parse(line) as { msg: string }).msg);
  const log = createLogger({ level: 'info', name: 'test', destination: { write } });
  const metrics = createMetrics({ processMetrics: false });
  const common = { service: 'greeter', poolSize: 8, migrations: pathToFileURL(`${folder}/`), jobs: true };
  const tasks = [greet, greetSoon, greetThrice];
  const open = {
    openDatabase: (address = url) => openDatabase({ ...common, url: address }, log),
    openJobs: (db: Database, draining?: AbortSignal) =>
      openJobs({ service: 'greeter', db, tasks, log, metrics, ...(draining && { draining }) }),
  };
  const db = resources.use(await open.openDatabase());
  const jobs = resources.use(await open.openJobs(db));
  const opened = resources.move();
  return { url, db, jobs, metrics, logged, ...open, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Does the due jobs of a task and returns the greeted names. */
export async function greetDue(jobs: Jobs, task: Task<Greeting> = greet): Promise<string[]> {
  const greeted: string[] = [];
  await jobs.drain(task, async ({ to }) => void greeted.push(to));
  return greeted;
}
