import { topics } from '@agentmesh/proto/topics';
import { createBus, durablesOf, openDriver, subjectOf } from '../bus/index.ts';
import { createLogger } from '../telemetry/index.ts';
import { resolve } from 'node:path';
import { openEmbedded } from './open-embedded.ts';
import { directUrlOf, type Environment, natsOptions, parseSettings, processSettings } from './settings/index.ts';

export interface ReplayOptions {
  /** Name of the consuming service. */
  readonly service: string;
  readonly env: Environment;
  readonly print: (line: string) => void;
}

/** Has the dead letters of a service's durable consumers delivered again, beside the running mesh, and prints how many there were. */
export async function replayDeadLetters({ service, env, print }: ReplayOptions): Promise<void> {
  const config = parseSettings(processSettings, env);
  const log = createLogger({ level: config.LOG_LEVEL, name: service });
  await using resources = new AsyncDisposableStack();
  const nats = natsOptions(config, service);
  const embedded = async () => resources.use(await openEmbedded({ dataDir: resolve(config.DATA_DIR), log })).url;
  const databaseUrl = config.DATABASE_URL ?? (nats === undefined ? await embedded() : '');
  const driver = resources.use(await openDriver({ nats, databaseUrl, directUrl: directUrlOf(databaseUrl, env), log }));
  const bus = createBus({ driver, service, log });
  const consumed = topics.filter((topic) => durablesOf(topic).includes(service));
  for (const topic of consumed) print(`${subjectOf(topic)}: ${await bus.replay(topic, service)} delivered again`);
  if (consumed.length === 0) print(`${service} consumes no topic`);
}
