import type { EventJson } from '@agentmesh/proto/event';
import type { Queryable } from '@agentmesh/lib/pg';
import { maxPageBytes, maxPageLimit } from '../page-limit.ts';
import type { RunOfSession } from '../session-key.ts';
import { selectRunEvents } from '../store/ledger/run-events.ts';
import { selectRunUsage, selectTurnsOfRuns, type TurnOfRun } from '../store/ledger/run-usage.ts';

/** Sums of numbers by name, as in AttemptEnd.usage_json. */
type Sums = Record<string, number>;

/** The use of a run before an attempt. */
export interface UsageBefore {
  /** The use of all attempts. */
  readonly all: Sums;
  /** The use of executors that have died: it is in `all`, and not in the run's row. */
  readonly unreported: Sums;
}

/** The use of a run that goes on, and whose executors have not died. */
export async function usageBefore(db: Queryable, run: RunOfSession): Promise<Pick<UsageBefore, 'all'>> {
  return { all: readSums((await selectRunUsage(db, run)) ?? '{}') };
}

/** Runs whose use is read in one statement. */
const together = 16;

/** The use of runs whose executor has died, also that of executors that have died since the last end of an attempt. */
export async function usageOfDead(
  db: Queryable,
  runs: readonly RunOfSession[],
): Promise<(run: RunOfSession) => UsageBefore> {
  const all = new Map<string, UsageBefore>();
  const read = async (some: readonly RunOfSession[]): Promise<void> => {
    const turns = await selectTurnsOfRuns(db, some, Math.floor(maxPageBytes / together));
    await Promise.all(turns.map(async (turn) => void all.set(nameOf(turn), await usageOfTurn(db, turn))));
  };
  const batches = Array.from({ length: Math.ceil(runs.length / together) }, (_, n) => n * together);
  await Promise.all(batches.map((from) => read(runs.slice(from, from + together))));
  return (run) => all.get(nameOf(run)) ?? { all: {}, unreported: {} };
}

function nameOf({ accountId, sessionPk, invocationId }: RunOfSession): string {
  return `${accountId}/${sessionPk}/${invocationId}`;
}

async function usageOfTurn(db: Queryable, turn: TurnOfRun): Promise<UsageBefore> {
  const all = readSums(turn.usage ?? '{}');
  const unreported = await usageOfEvents(db, turn);
  for (const [name, number] of Object.entries(unreported)) all[name] = (all[name] ?? 0) + number;
  return { all, unreported };
}

/** The numbers of a use. An executor may have stored anything. */
export function readSums(json: string): Sums {
  const fields = Object.entries((JSON.parse(json) ?? {}) as Record<string, unknown>);
  return Object.fromEntries(fields.filter((field): field is [string, number] => Number.isFinite(field[1])));
}

const counted = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
];

/** Seconds since an event whose time another process has written. A run is not older than its row, whatever the clocks of both say. */
function secondsSince(timestamp: number, ageOfRun: number): number {
  return Math.round(Math.min(Math.max(0, Date.now() / 1000 - timestamp), ageOfRun));
}

/** The use that the stored events of a turn tell, and the seconds since its first event. The use of answers that were not stored is not known. */
async function usageOfEvents(
  db: Queryable,
  { accountId, sessionPk, invocationId, age, events: first, isWhole }: TurnOfRun,
): Promise<Sums> {
  const sums: Sums = {};
  const run = { accountId, sessionPk, invocationId };
  const page = { ...run, limit: maxPageLimit, maxBytes: maxPageBytes, upTo: 2 ** 31 - 1 };
  for (let events = first; events.length > 0; ) {
    for (const { json, timestamp } of events) {
      sums['seconds'] ??= secondsSince(timestamp, age);
      addEvent(sums, JSON.parse(json) as Partial<EventJson>);
    }
    if (isWhole) break;
    events = await selectRunEvents(db, { ...page, after: events.at(-1)?.seq ?? 0 });
  }
  return sums;
}

/** Calls that ADK makes to ask about a call of a tool, which counts itself. */
const questions: readonly unknown[] = ['adk_request_confirmation', 'adk_request_credential'];

function isToolCall(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { functionCall } = part as { readonly functionCall?: { readonly name?: unknown } | null };
  return functionCall !== undefined && !questions.includes(functionCall?.name);
}

/** Counts an event like the executor: see createAttemptUsage in services/runs. */
function addEvent(sums: Sums, { author, content, modelVersion, usageMetadata }: Partial<EventJson>): void {
  const add = (name: string, number: number): void => void (sums[name] = (sums[name] ?? 0) + number);
  if (author === 'user') return;
  // An agent in code may have written anything.
  const parts: unknown[] = Array.isArray(content?.parts) ? content.parts : [];
  const calls = parts.filter(isToolCall).length;
  if (calls > 0) add('toolCalls', calls);
  if (modelVersion === undefined && usageMetadata === undefined) return;
  add('modelCalls', 1);
  const used = (usageMetadata ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of counted) {
    const count = used[name];
    // Others would make a sum that JSON does not know.
    if (Number.isSafeInteger(count) && Number(count) > 0) add(name, Number(count));
  }
}
