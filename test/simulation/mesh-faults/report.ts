import type { EventJson } from '@agentmesh/proto/event';
import { Caller, sessionPath } from '../../caller.ts';
import type { RunJson } from './clients/runs.ts';
import type { Violation } from './clients/tally.ts';
import type { Sites } from './open-sites.ts';

/** Most lines of output in the report of a violation. */
const mostLines = 60;

/** The history of the session that a violation belongs to: what its client did, what is stored, and what the processes said about its runs. */
export async function describeViolation({ what, story }: Violation, { spared, attacked }: Sites): Promise<string> {
  if (story === undefined) return what;
  const { lane, caller, session, lines } = story;
  const reader = new Caller((spared ?? attacked).url, caller.token);
  const path = sessionPath(session);
  const runs = (await reader.request<RunJson[]>('GET', `${path}/runs?limit=100`)).body;
  const { events } = (await reader.request<{ events?: EventJson[] }>('GET', path)).body;
  const ids = [session.id, ...(Array.isArray(runs) ? runs : []).map(({ invocationId }) => invocationId)];
  const output = [...attacked.lines, ...(spared?.lines ?? [])].filter((line) => ids.some((id) => line.includes(id)));
  return [
    `lane ${lane}, session ${path}: ${what}`,
    ...lines.map((line) => `  client  ${line}`),
    ...(Array.isArray(runs) ? runs : []).map((run) => `  run     ${JSON.stringify(run)}`),
    ...(events ?? []).map((event) => `  event   ${JSON.stringify(event)}`),
    ...output.slice(-mostLines).map((line) => `  output  ${line}`),
  ].join('\n');
}
