import { MeshError } from '@agentmesh/lib/rpc';
import { nameOfStatus } from '@agentmesh/proto/run-record';
import { type FindRunHolderResponse, RunStatus } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { requireAdmin } from '../../edge/authentication/identity.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { AnyRunPath, HeldRun, SlowAccount, SlowQuery } from './operator-record.ts';

const forAdmins = routeFamily({ tag: 'administration', caller: 'account' });

const heldStatuses = new Set([RunStatus.QUEUED, RunStatus.RUNNING]);

/** Routes that tell administrators which runs are slow, and why. */
export function operatorRoutes(app: App, context: Context): void {
  addSlow(app, context);
  addWhy(app, context);
}

function addSlow(app: App, { auth, sessions, authentication }: Context): void {
  app.get(
    '/api/admin/slow',
    forAdmins(authentication, {
      operationId: 'listSlowAccounts',
      summary: 'List the accounts with the slowest runs',
      description:
        'Which accounts are slow, and what their time is spent on; those with the longest runs first. Time in which a run waits for an answer is left out. For administrators.',
      querystring: SlowQuery,
      response: { 200: Type.Array(SlowAccount) },
      refusals: [403],
    }),
    async ({ identity, query: { minutes = 0 } }) => {
      requireAdmin(identity);
      const { accounts } = await sessions.listSlowAccounts({ minutes }, unary);
      const emails = await emailsOf(
        auth,
        accounts.map(({ accountId }) => accountId),
      );
      return accounts.map(({ accountId, runs, active, failed, meanSeconds, longestSeconds, spent }, place) => ({
        account_id: accountId,
        email: emails[place] ?? null,
        runs,
        active,
        failed,
        mean_seconds: rounded(meanSeconds),
        longest_seconds: rounded(longestSeconds),
        reason: spent[0]?.on ?? 'agents',
        spent: spent.map(({ on, seconds }) => ({ on, seconds: rounded(seconds) })),
      }));
    },
  );
}

/** Addresses of accounts. Undefined for those that are deleted, and when auth does not answer: an operator looks here while something fails. */
function emailsOf(auth: Context['auth'], ids: readonly string[]): Promise<(string | undefined)[]> {
  const emailOf = async (id: string): Promise<string | undefined> =>
    (await auth.getAccount({ id }, { timeoutMs: 2_000 }).catch(() => undefined))?.account?.email;
  return Promise.all(ids.map(emailOf));
}

function addWhy(app: App, { sessions, authentication }: Context): void {
  app.get(
    '/api/admin/runs/:invocation_id/why',
    forAdmins(authentication, {
      operationId: 'findRunHolder',
      summary: 'Find out what holds a run',
      description: 'The process that holds a run of any account, and what the run waits for. For administrators.',
      params: AnyRunPath,
      response: { 200: HeldRun },
      refusals: [403, 404],
    }),
    async ({ identity, params: { invocation_id: invocationId } }) => {
      requireAdmin(identity);
      return heldRun(await sessions.findRunHolder({ invocationId }, unary));
    },
  );
}

function heldRun({ accountId, run, ahead }: FindRunHolderResponse) {
  if (run === undefined) throw new MeshError('internal', 'run_missing', 'The sessions service answered no run.');
  const holder = heldStatuses.has(run.status) ? run.owner : '';
  const isQueued = run.status === RunStatus.QUEUED;
  return {
    account_id: accountId,
    app: run.appName,
    status: nameOfStatus(run.status) ?? 'queued',
    attempt: run.attempt,
    holder: holder || null,
    pod: holder.split('/')[0] || null,
    waiting_on: run.waitingOn || null,
    waitingOn: run.waitingOn || null,
    since: run.waitingOn === '' ? null : new Date(run.waitingSince * 1_000).toISOString(),
    queue: isQueued ? { position: run.queuePosition, ahead } : null,
  };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
