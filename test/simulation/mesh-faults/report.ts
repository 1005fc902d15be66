import { setTimeout as sleep } from 'node:timers/promises';
import type { EventJson } from '@agentmesh/proto/event';
import { Caller, sessionPath } from '../../caller.ts';
import type { RunJson } from './clients/runs.ts';
import type { Violation } from './clients/tally.ts';
import type { Sites } from './open-sites.ts';

/** Most lines of output in the report of a violation: about its runs, and of errors around that time. */
const mostLines = 60;
/** A process that stands still writes its line about a request after its caller has given up. */
const lateMs = 5_000;
/** The two installations share a bus and cannot open each other's sealed hints. */
const foreignHint = 'a hint was dropped';

/** The history of the session that a violation belongs to: what its client did, what is stored, and what the processes said about its runs. */
export async function describeViolation({ what, story }: Violation, { spared, attacked }: Sites): Promise<string> {
  if (story === undefined) return what;
  const { lane, caller, session, lines } = story;
  const reader = new Caller((spared ?? attacked).url, caller.token);
  const path = sessionPath(session);
  await sleep(lateMs);
  const runs = (await reader.request<RunJson[]>('GET', `${path}/runs?limit=100`)).body;
  const { events } = (await reader.request<{ events?: EventJson[] }>('GET', path)).body;
  const ids = [session.id, ...(Array.isArray(runs) ? runs : []).map(({ invocationId }) => invocationId)];
  const output = [...attacked.lines, ...(spared?.lines ?? [])].filter((line) => !line.includes(foreignHint));
  const own = output.filter((line) => ids.some((id) => line.includes(id)));
  const errors = output.filter((line) => line.includes('"level":"error"'));
  return [
    `lane ${lane}, session ${path}: ${what}`,
    ...lines.map((line) => `  client  ${line}`),
    ...(Array.isArray(runs) ? runs : []).map((run) => `  run     ${JSON.stringify(run)}`),
    ...(events ?? []).map((event) => `  event   ${JSON.stringify(event)}`),
    ...own.slice(-mostLines).map((line) => `  output  ${line}`),
    ...errors.slice(-mostLines).map((line) => `  error   ${line}`),
  ].join('\n');
}
