import { topics } from '@agentmesh/proto/topics';
import { type BusDriver, durablesOf, subjectOf } from '../../bus/index.ts';
import type { Database } from '../../pg/index.ts';
import type { Checks, Logger, Metrics } from '../../telemetry/index.ts';
import { type Backlog, backlogReader } from './read-backlog.ts';

/** Age in seconds from which waiting work is told. */
const lateSeconds = 30;

/** Work that waits, by service: its age in whole seconds, and the number of messages that it gave up. */
export type Backlogs = Readonly<Record<string, Backlog & { readonly deadLetters: number }>>;

/** Tells what waits in the services of a process: a lock that nobody gives back, a bus that takes nothing, and workers that hang look alike from outside. */
export interface BacklogWatch {
  /** Watches a service from now on. */
  add(service: string, db: Database, log: Logger): void;
  /** Reads how much waits now. Rejects when a database or the bus does not answer. */
  read(): Promise<Backlogs>;
  /** A check for each service with an outbox: it fails when a row has waited for 30 s. */
  readonly checks: Checks;
}

interface Watched {
  readonly read: () => Promise<Backlog & { readonly deadLetters: number }>;
  /** Names of work that the log has called late. */
  readonly late: Set<string>;
  readonly log: Logger;
}

export interface BacklogWatchOptions {
  readonly driver: BusDriver;
  readonly metrics: Metrics;
}

/** Each reading sets the metrics, and logs a warning once when work has waited for 30 s. */
export function createBacklogWatch({ driver, metrics }: BacklogWatchOptions): BacklogWatch {
  const watched = new Map<string, Watched>();
  const gauges = createGauges(metrics);
  const checks: Record<string, () => Promise<void>> = {};
  const readOne = async ([service, { read, late, log: own }]: [string, Watched]) => {
    const backlog = await read();
    for (const [name, gauge] of gauges) gauge.set({ service }, backlog[name]);
    for (const name of ['outboxSeconds', 'jobsSeconds'] as const) {
      if (backlog[name] < lateSeconds) late.delete(name);
      else if (!late.has(name)) {
        late.add(name);
        own.warn({ [name]: backlog[name] }, told[name]);
      }
    }
    return [service, backlog] as const;
  };
  const read = async (): Promise<Backlogs> =>
    Object.fromEntries(await Promise.all(Array.from(watched, (one) => readOne(one))));
  return {
    add(service, db, own) {
      let reader: ReturnType<typeof backlogReader> | undefined;
      const dead = deadLettersOf(service, driver);
      const readBoth = async () => {
        // The tables of jobs are made after the database was opened.
        reader ??= backlogReader(service, db);
        reader.catch(() => (reader = undefined));
        const [backlog, deadLetters] = await Promise.all([reader.then((one) => one()), dead()]);
        return { ...backlog, deadLetters };
      };
      const one: Watched = { read: readBoth, late: new Set(), log: own };
      watched.set(service, one);
      checks[`${service}.outbox`] = async () => {
        const [, { outboxSeconds }] = await readOne([service, one]);
        if (outboxSeconds >= lateSeconds) throw new Error(told.outboxSeconds);
      };
    },
    read,
    checks,
  };
}

const told = {
  outboxSeconds: 'messages of the outbox wait: no process can publish them',
  jobsSeconds: 'jobs wait: no worker begins them',
};

function createGauges(metrics: Metrics) {
  const labelNames = ['service'] as const;
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, labelNames });
  return [
    ['outboxSeconds', gauge('agentmesh_outbox_oldest_seconds', 'Age of the oldest message that is not published.')],
    [
      'jobsSeconds',
      gauge('agentmesh_jobs_oldest_seconds', 'How long the oldest job that nobody has begun has been due.'),
    ],
    ['jobsDue', gauge('agentmesh_jobs_due', 'Jobs that are due and that nobody has begun, up to 10,000.')],
    ['deadLetters', gauge('agentmesh_dead_letters', 'Messages that the consumers of the service gave up.')],
  ] as const;
}

/** Returns how the dead letters of a service are counted. */
function deadLettersOf(service: string, driver: BusDriver): () => Promise<number> {
  const subjects = topics.filter((topic) => durablesOf(topic).includes(service)).map(subjectOf);
  return async () => {
    const counts = await Promise.all(subjects.map((subject) => driver.deadLetters({ subject, durable: service })));
    return counts.reduce((sum, count) => sum + count, 0);
  };
}
