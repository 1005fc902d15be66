import { explain, migrateNamed } from '../../main.ts';
import type { Ended } from './run-main.ts';

/** Does in this process, which has the services loaded, what `runMain(['migrate', ...names], env)` does in one of its own. */
export async function migrateHere(names: readonly string[], env: Record<string, string>): Promise<Ended> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(`${line}\n`);
  const failure = await migrateNamed(names, { env: { ...env, LOG_LEVEL: 'silent' }, print }).then(
    () => undefined,
    (error: unknown) => explain(error),
  );
  return { code: failure === undefined ? 0 : 1, output: lines.join('') + (failure ?? '') };
}
