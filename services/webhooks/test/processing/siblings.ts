import { randomUUID } from 'node:crypto';
import type { Bus } from '@agentmesh/lib/bus';
import { appendToStream } from '@agentmesh/lib/bus/testing';
import { MeshError } from '@agentmesh/lib/rpc';
import { defineService } from '@agentmesh/lib/service';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService, type StartRunRequest } from '@agentmesh/proto/runs/v1';
import { AttemptEnd_Outcome, AwaitedRunEndedSchema, RunStatus, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { ServiceImpl } from '@connectrpc/connect';

export interface FakeRun {
  readonly invocationId: string;
  readonly accountId: string;
  readonly sessionId: string;
  readonly appName: string;
  readonly userId: string;
  readonly key: string;
  /** Text of the message. */
  readonly message: string;
  readonly awaited: boolean;
  status: RunStatus;
  errorCode: string;
  answer: string;
  toolCalls: number;
}

const statuses: Readonly<Record<string, RunStatus>> = { completed: RunStatus.COMPLETED, waits: RunStatus.WAITING };

/** The services that webhooks calls, in memory: a run is started once for each key, and ends when `decide` says so. */
export class Siblings {
  readonly runs: FakeRun[] = [];
  /** Decides at the start of a run how it ends: `completed`, `waits`, an error code, or `hangs`. Throws what StartRun throws. */
  decide: (run: FakeRun) => string = () => 'completed';
  /** Time that models ask to wait for in the event of a failed run; undefined: they name none. */
  retryAfterSeconds: number | undefined;
  /** Called when a run is durable, before its caller knows. */
  afterStart: () => void | Promise<void> = () => undefined;
  /** False: nobody says that a run has ended. */
  announces = true;
  #bus: Bus | undefined;

  async end(run: FakeRun, outcome: string): Promise<void> {
    run.status = statuses[outcome] ?? RunStatus.FAILED;
    run.errorCode = outcome in statuses ? '' : outcome;
    run.answer = outcome === 'completed' ? `done: ${run.message}` : '';
    const { accountId, invocationId } = run;
    const ended = { accountId, invocationId, outcome: AttemptEnd_Outcome.COMPLETED };
    if (this.announces && run.awaited && this.#bus !== undefined)
      await appendToStream(this.#bus, AwaitedRunEndedSchema, [ended]);
  }

  readonly auth = defineService({
    name: 'auth',
    settings: {},
    start: ({ mesh }) => {
      const handlers: Partial<ServiceImpl<typeof AuthService>> = {
        getAccount: ({ id }) => ({ account: { id, email: `${id}@users.example` } }),
      };
      mesh.serve(AuthService, handlers as ServiceImpl<typeof AuthService>);
      return Promise.resolve({});
    },
  });

  readonly runner = defineService({
    name: 'runs',
    settings: {},
    start: ({ mesh, bus }) => {
      this.#bus = bus;
      const handlers: Partial<ServiceImpl<typeof RunsService>> = { startRun: (request) => this.#start(request) };
      mesh.serve(RunsService, handlers as ServiceImpl<typeof RunsService>);
      return Promise.resolve({});
    },
  });

  readonly ledger = defineService({
    name: 'sessions',
    settings: {},
    start: ({ mesh }) => {
      const handlers: Partial<ServiceImpl<typeof SessionsService>> = {
        getRun: ({ invocationId, appName: app, sessionId: session }) => {
          // The newest of several.
          const run = this.runs.findLast(
            (one) =>
              one.invocationId === invocationId &&
              (app === '' || one.appName === app) &&
              (session === '' || one.sessionId === session),
          );
          if (run === undefined) throw new MeshError('not_found', 'run_not_found', 'No such run.');
          const { appName, userId, sessionId, status, errorCode, toolCalls } = run;
          return {
            run: {
              invocationId,
              appName,
              userId,
              sessionId,
              status,
              errorCode,
              errorMessage: errorCode && 'It failed.',
              usageJson: Buffer.from(JSON.stringify({ modelCalls: 1, ...(toolCalls > 0 && { toolCalls }) })),
            },
          };
        },
        listEvents: ({ session }) => ({
          events: this.runs
            .filter(({ sessionId }) => sessionId === session?.sessionId)
            .map(({ invocationId, answer }) => ({
              invocationId,
              author: 'agent',
              json: Buffer.from(
                JSON.stringify({
                  content: { parts: [{ text: 'hm', thought: true }, { text: answer }] },
                  customMetadata: { trigger: 'webhook', retry_after_seconds: this.retryAfterSeconds },
                }),
              ),
            })),
        }),
      };
      mesh.serve(SessionsService, handlers as ServiceImpl<typeof SessionsService>);
      return Promise.resolve({});
    },
  });

  async #start({ session, messageJson, idempotencyKey, awaited, createsSession }: StartRunRequest) {
    const { accountId = '', appName = '', userId = '', sessionId = '' } = session ?? {};
    if (!createsSession) throw new MeshError('not_found', 'session_not_found', 'There is no such session.');
    const known = this.runs.find(({ key }) => key === idempotencyKey);
    const { parts } = JSON.parse(Buffer.from(messageJson).toString()) as { parts: [{ text: string }] };
    const message = parts[0].text;
    if (known !== undefined && known.message !== message) {
      throw new MeshError('failed_precondition', 'idempotency_key_reused', 'Another request.');
    }
    if (known !== undefined) return { invocationId: known.invocationId, already: true };
    const base = {
      invocationId: randomUUID(),
      accountId,
      appName,
      userId,
      sessionId,
      key: idempotencyKey,
      message,
      awaited,
    };
    const run: FakeRun = { ...base, status: RunStatus.RUNNING, errorCode: '', answer: '', toolCalls: 0 };
    const outcome = this.decide(run);
    this.runs.push(run);
    if (outcome !== 'hangs') await this.end(run, outcome);
    await this.afterStart();
    return { invocationId: run.invocationId, already: false };
  }
}
