import { positiveInteger, timerSeconds } from '@agentmesh/lib/service';
import { makeValidator } from 'envalid';

/** Names that no code of an app may have: they open the mesh or its data. */
const ours = /^(MESH_|ENCRYPT_KEY|TOKEN_SIGNING_KEYS)|DATABASE_URL$|^(NATS_CREDS|NATS_PASSWORD|REDIS_URL)$/;
const name = /^[A-Za-z_][A-Za-z0-9_]*$/;

const variableNames = makeValidator<string[]>((text) => {
  const names = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const part of names) {
    if (!name.test(part)) throw new Error(`"${part}" is not the name of a variable`);
    if (ours.test(part)) throw new Error(`${part} is a secret of the mesh and is never given to code of apps`);
  }
  return names;
});

/** Time for which code of an app may keep its worker from everything else, e.g. by a loop: a lease, after which others would take its runs over anyway. */
const mostBusyMs = 10_000;

/** The settings of code of apps, to be spread into those of the service. */
export const codeSettings = {
  RUNS_CODE_ENV: variableNames({
    default: [],
    desc: 'variables of the environment that code of apps may get, by name',
  }),
  RUNS_CODE_MEMORY_MB: positiveInteger({ default: 512, desc: 'most memory of the worker of an app' }),
  RUNS_CODE_LOAD_SECONDS: timerSeconds({ default: 30, desc: 'how long the code of an app may take to load' }),
};

export interface CodeConfig {
  /** Variables that workers may get, by name; undefined when one is not set. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly memoryMb: number;
  readonly busyMs: number;
  readonly loadMs: number;
  /** Whether workers see the spans of runs. */
  readonly isTraced?: boolean;
}

/** The configuration of workers from the service's cleaned settings. `environment`: of this process. */
export function readCodeConfig(
  settings: {
    readonly RUNS_CODE_ENV: string[];
    readonly RUNS_CODE_MEMORY_MB: number;
    readonly RUNS_CODE_LOAD_SECONDS: number;
  },
  environment: Readonly<Record<string, string | undefined>>,
): CodeConfig {
  return {
    env: Object.fromEntries(settings.RUNS_CODE_ENV.map((variable) => [variable, environment[variable]])),
    memoryMb: settings.RUNS_CODE_MEMORY_MB,
    busyMs: mostBusyMs,
    loadMs: settings.RUNS_CODE_LOAD_SECONDS * 1_000,
  };
}
