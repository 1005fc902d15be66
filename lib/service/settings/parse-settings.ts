import { type CleanedEnv, cleanEnv, EnvMissingError, type ValidatorSpec } from 'envalid';

/** Environment variables by name, each with its envalid validator. */
export type Settings = Record<string, ValidatorSpec<unknown>>;

/** The settings are wrong: the message names every bad variable, one a line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** The faults, by variable. */
  readonly problems: ReadonlyMap<string, string>;

  constructor(problems: ReadonlyMap<string, string>) {
    super([...problems].map(([variable, problem]) => `${variable} ${problem}`).join('\n'));
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Parses settings from an environment. A blank optional variable counts as unset. Throws SettingsError naming all bad ones. */
export function parseSettings<S extends Settings>(settings: S, env: Environment): CleanedEnv<S> {
  const problems = new Map<string, string>();
  const parsed = cleanEnv(withoutBlanks(env), settings, {
    reporter: ({ errors }) => {
      for (const [variable, error] of Object.entries(errors))
        problems.set(variable, describe(error, settings[variable]));
    },
  });
  if (problems.size > 0) throw new SettingsError(problems);
  return parsed;
}

/** Runs all checks and throws one SettingsError with all their faults. */
export function checkTogether(checks: readonly (() => unknown)[]): void {
  const problems = new Map<string, string>();
  for (const check of checks) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const [variable, problem] of error.problems) problems.set(variable, problem);
    }
  }
  if (problems.size > 0) throw new SettingsError(problems);
}

function withoutBlanks(env: Environment): Record<string, string> {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return Object.fromEntries(set) as Record<string, string>;
}

function describe(error: Error | undefined, spec: { desc?: string | undefined } | undefined): string {
  const hint = spec?.desc === undefined ? '' : ` (${spec.desc})`;
  if (error instanceof EnvMissingError) return `is missing or blank${hint}`;
  return `${error?.message ?? 'is not valid'}${hint}`;
}
