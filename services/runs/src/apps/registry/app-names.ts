import { makeValidator } from 'envalid';
import { isAgentAppName } from '../agents/agent-id.ts';

/** Stands for all agents that are records. */
const records = 'agent*';

/** A setting that is a comma-separated list of apps. */
export const appNames = makeValidator<string[]>((text) => {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const [bad] = names.filter((name) => /[/\\]/.test(name) || (name !== records && isAgentAppName(name)));
  if (bad !== undefined) throw new Error(`"${bad}" is not a folder of AGENTS_DIR, and not ${records}`);
  return names;
});

/** Whether a process that serves `apps` serves an app; an empty list stands for all. */
export function servesApp(apps: readonly string[], name: string): boolean {
  return apps.length === 0 || apps.includes(isAgentAppName(name) ? records : name);
}

/** The apps of a process whose files hold `only` one app; undefined: any number. */
export function servedApps(apps: readonly string[], only: string | undefined): readonly string[] {
  return only === undefined || apps.length > 0 ? apps : [only, records];
}
