import type { Queryable } from '@agentmesh/lib/pg';
import { selectAppRules } from '../store/retention/app-rules.ts';
import { selectRules } from '../store/retention/rules.ts';
import type { Days } from '../store/retention/app-rules.ts';
import { keptDays } from './kept-days.ts';

/** Declarations that count now, by app. Undefined: the app says nothing. */
export type AppRules = ReadonlyMap<string, readonly (Days | undefined)[]>;

export interface KeptDaysOptions {
  readonly accountId: string;
  /** Declarations of the apps of `AGENTS_DIR`. */
  readonly ofFiles: AppRules;
  /** Days for accounts and apps without a rule; 0: for ever. */
  readonly defaultDays: number;
}

/** For how long the runs and events of each app of an account are kept. */
export async function readKeptDays(db: Queryable, options: KeptDaysOptions): Promise<(appName: string) => Days> {
  const { accountId, ofFiles, defaultDays } = options;
  const rules = new Map((await selectRules(db, accountId)).map(({ appName, days }) => [appName, days]));
  const ofAgents = await selectAppRules(db, accountId);
  const setting = defaultDays === 0 ? null : defaultDays;
  return (appName) =>
    keptDays({
      own: rules.get(appName),
      declared: ofAgents.get(appName) ?? ofFiles.get(appName) ?? [],
      usual: rules.get(''),
      setting,
    });
}
