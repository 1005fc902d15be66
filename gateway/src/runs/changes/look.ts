import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import { type Change, changesBetween, type Versions } from './change.ts';

/** Findings of one look at an account. */
export interface Sight {
  /** The newest runs, and those that are not over, by all their names: runs of several sessions may have one id. */
  readonly runs: ReadonlyMap<string, LedgerRun>;
  readonly notices: Versions;
  readonly schedules: Versions;
  readonly agents: Versions;
}

export type Looking = Pick<Context, 'agents' | 'notices' | 'schedules' | 'sessions'>;

const open = [RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING];
const newestRuns = 50;
const mostOpen = 200;
const mostNotices = 100;
const mostAgents = 500;

/** Reads what an account has. Agents come with all their fields, so they are read again only when they may have changed. */
export async function look(services: Looking, accountId: string, agents?: Versions): Promise<Sight> {
  const { sessions, notices, schedules } = services;
  const [newest, unfinished, noted, planned, made] = await Promise.all([
    sessions.listRuns({ accountId, limit: newestRuns }, unary),
    sessions.listRuns({ accountId, statuses: open, limit: mostOpen }, unary),
    notices.listNotices({ accountId, limit: mostNotices }, unary),
    schedules.listSchedules({ accountId }, unary),
    agents ?? readAgents(services, accountId),
  ]);
  const runs = [...newest.runs, ...unfinished.runs];
  return {
    runs: new Map(runs.map((run) => [nameOf(run), run])),
    notices: new Map(noted.notices.map(({ id, readAt }) => [String(id), String(readAt === undefined)])),
    schedules: new Map(planned.schedules.map((it) => [it.id, [it.updateTime, it.enabled, it.lastRun?.time].join()])),
    agents: made,
  };
}

async function readAgents({ agents }: Looking, accountId: string): Promise<Versions> {
  const { agents: all } = await agents.listAgents({ accountId, limit: mostAgents }, unary);
  return new Map(all.map(({ agentId, version }) => [String(agentId), String(version)]));
}

/** Differences since an earlier look. A run or notification that only made room for newer ones is no change. */
export function changesSince(before: Sight, after: Sight): Change[] {
  const stillThere = new Map(
    [...before.runs].filter(([name, run]) => after.runs.has(name) || open.includes(run.status)),
  );
  const runs = changesBetween('run', versionsOf(stillThere), versionsOf(after.runs));
  return [
    ...runs.map((change): Change => ofRun(change.op === 'removed' ? { ...change, op: 'changed' } : change)),
    ...changesBetween('wait', waitsOf(before), waitsOf(after)).map(ofRun),
    ...changesBetween('notification', before.notices, after.notices).filter(({ op }) => op !== 'removed'),
    ...changesBetween('agent', before.agents, after.agents),
    ...changesBetween('schedule', before.schedules, after.schedules),
  ];
}

function nameOf({ appName, userId, sessionId, invocationId }: LedgerRun): string {
  return JSON.stringify([invocationId, appName, userId, sessionId]);
}

/** Clients know a run by its id, and tell those of several sessions apart by the names of the session. */
function ofRun({ kind, id: name, op }: Change): Change {
  const [id = '', app_name, user_id, session_id] = JSON.parse(name) as string[];
  return { kind, id, op, app_name, user_id, session_id };
}

function versionsOf(runs: Sight['runs']): Versions {
  return new Map([...runs].map(([id, run]) => [id, [run.status, run.attempt, run.queuePosition, waitOf(run)].join()]));
}

function waitsOf({ runs }: Sight): Versions {
  const waiting = [...runs].filter(([, { status }]) => status === RunStatus.WAITING);
  return new Map(waiting.map(([id, run]) => [id, waitOf(run)]));
}

function waitOf({ status, waitingForJson }: LedgerRun): string {
  return status === RunStatus.WAITING ? Buffer.from(waitingForJson).toString() : '';
}
