import { randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import type { JsonObject } from '@agentmesh/proto/event';
import {
  type AppendEventsRequest,
  type AttemptEnd,
  AttemptEnd_Outcome,
  type BeginTurnRequest,
  BeginTurnRequestSchema,
  type CheckQueuedRunsRequest,
  type ClaimRunsRequest,
  type GetSessionRequest,
  type Lease,
  RunStatus,
  type ReadRunRequest,
  type RenewLeasesRequest,
  type SessionKey,
  type SessionsService,
  type Turn,
} from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  append,
  decode,
  encode,
  holds,
  messagesSince,
  nameOf,
  notCalled,
  othersSince,
  publicStatus,
  runOfKey,
  startTurn,
  type Stored,
  type StoredRun,
  type StoredSession,
} from './stored-session.ts';

type Call =
  | 'checkQueuedRuns'
  | 'createSession'
  | 'getSession'
  | 'beginTurn'
  | 'claimRuns'
  | 'appendEvents'
  | 'renewLeases'
  | 'cancelRun'
  | 'getRun';

/** The part of the sessions service that runs use, in memory: turns, fences, queue and sequences as the proto says. */
export class InMemorySessions {
  /** Names of the calls so far. */
  readonly calls: Call[] = [];
  /** Called before a call acts; may throw. */
  before?: (call: Call) => void;
  /** Holds up calls of BeginTurn until it resolves. */
  hold?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Called after a call has acted, before it answers; may throw. */
  after?: (call: Call) => void;
  /** Limits that turns carry. */
  stateLimits: Partial<Pick<Turn, 'stateMaxValueBytes' | 'stateMaxScopeBytes'>> = {};
  /** How many claims to answer with nothing, as under contention. */
  emptyClaims = 0;
  /** The database's clock in Unix seconds. */
  readonly clock = 1_700_000_000;
  /** Called with each renewal. */
  onRenewal?: (request: RenewLeasesRequest) => void;
  /** Called with the run that has been granted the turn. */
  onGranted?: (owner: string, session: SessionKey, invocationId: string) => void;
  readonly #sessions = new Map<string, StoredSession>();
  readonly #byPk = new Map<bigint, StoredSession>();

  get service(): ServiceImpl<typeof SessionsService> {
    const get = (key: SessionKey | undefined) =>
      this.#act('getSession', () => ({ session: { id: this.#find(key).key.sessionId } }));
    return {
      beginTurn: async (request, { signal }) => {
        await this.hold?.(signal);
        return this.#act('beginTurn', () => this.#beginTurn(request));
      },
      claimRuns: (request) => this.#act('claimRuns', () => this.#claimRuns(request)),
      checkQueuedRuns: (request) => this.#act('checkQueuedRuns', () => this.#checkQueuedRuns(request)),
      countActiveRuns: () => ({ accounts: [] }),
      appendEvents: (request) => this.#act('appendEvents', () => this.#appendEvents(request)),
      renewLeases: (request) => this.#act('renewLeases', () => this.#renewLeases(request)),
      ...notCalled,
      createSession: ({ session: key }) =>
        this.#act('createSession', () => ({ events: [...this.create(key as SessionKey).events] })),
      getSession: async function* (this: void, { session }: GetSessionRequest) {
        yield await Promise.resolve(get(session));
      },
      getRun: ({ invocationId }) => this.#act('getRun', () => this.#getRun(invocationId)),
      readRun: (request) => this.#act('getRun', () => this.#readRun(request)),
      cancelRun: ({ invocationId }) => this.#act('cancelRun', () => this.cancel(invocationId)),
    };
  }

  create(key: SessionKey, state: JsonObject = {}): StoredSession {
    const pk = BigInt(this.#sessions.size + 1);
    const session: StoredSession = { key, pk, events: [], state: { ...state }, runs: [], deltas: new Map(), fence: 0n };
    this.#sessions.set(nameOf(key), session);
    this.#byPk.set(pk, session);
    return session;
  }

  events(key: SessionKey): Stored[] {
    return this.#find(key).events.map((json) => decode(json) as Stored);
  }

  state(key: SessionKey): JsonObject {
    return this.#find(key).state;
  }

  /** The named run, or the newest. */
  run(key: SessionKey, invocationId?: string): StoredRun {
    const run = this.#find(key).runs.findLast((one) => one.invocationId === (invocationId ?? one.invocationId));
    if (run === undefined) throw new Error('no such run');
    return run;
  }

  runs(key: SessionKey): readonly StoredRun[] {
    return this.#find(key).runs;
  }

  /** Commits a state change beside the running turn. */
  patch(key: SessionKey, delta: JsonObject): void {
    const event = { id: randomUUID(), author: 'user', timestamp: 1, actions: { stateDelta: delta } };
    append(this.#find(key), encode(event), encode(delta));
  }

  /** Adds a message to the running run. */
  address(key: SessionKey, text: string): void {
    const session = this.#find(key);
    const content = { role: 'user', parts: [{ text }] };
    const actions = { stateDelta: {}, artifactDelta: {} };
    const event = { id: randomUUID(), author: 'user', invocationId: session.turn, timestamp: 1, content, actions };
    append(session, encode(event), new Uint8Array(0));
  }

  delete(key: SessionKey): void {
    this.#byPk.delete(this.#find(key).pk);
    this.#sessions.delete(nameOf(key));
  }

  /** Stores a run whose process died before it started the turn. */
  leave(key: SessionKey): void {
    const session = this.#find(key);
    const messageJson = encode({ role: 'user', parts: [{ text: 'left' }] });
    const request = create(BeginTurnRequestSchema, { session: key, messageJson, owner: 'dead', window: 64 });
    session.runs.push({ request, invocationId: 'e-left', status: 'granted', attempt: 0 });
    session.turn = 'e-left';
  }

  /** Takes the turn from the executor: its fence is old from then on. */
  loseTurn(key: SessionKey): void {
    this.#find(key).fence += 1n;
  }

  /** The lease of the attempt that holds the turn. */
  lease(key: SessionKey) {
    const { pk: sessionPk, turn: invocationId = '', fence } = this.#find(key);
    return { accountId: key.accountId, sessionPk, invocationId, fence };
  }

  /** Marks a running run, and ends any other. */
  cancel(invocationId: string): object {
    for (const session of this.#sessions.values()) {
      const run = session.runs.find((one) => one.invocationId === invocationId && one.status !== 'ended');
      if (run?.status === 'running') {
        run.cancelling ??= session.fence;
        session.fence += 1n;
      } else if (run !== undefined) run.status = 'ended';
    }
    return {};
  }

  #getRun(invocationId: string) {
    const runs = [...this.#sessions.values()].flatMap((session) => session.runs);
    const run = runs.findLast((one) => one.invocationId === invocationId);
    if (run === undefined) throw new MeshError('not_found', 'run_not_found', 'No such run.');
    return { run: { invocationId, status: publicStatus(run) } };
  }

  #readRun({ invocationId, afterSeq }: ReadRunRequest) {
    const { run } = this.#getRun(invocationId);
    const session = [...this.#sessions.values()].find(({ runs }) =>
      runs.some((one) => one.invocationId === invocationId),
    );
    const { appName = '', userId = '', sessionId = '' } = session?.key ?? {};
    const all = (session?.events ?? []).map((json, index) => ({ seq: index + 1, json }));
    const own = all.filter(({ json }) => (decode(json) as Stored)['invocationId'] === invocationId);
    const events = own.filter(({ seq }) => seq > afterSeq);
    return { run: { ...run, appName, userId, sessionId }, events, lastSeq: all.length };
  }

  #act<R>(call: Call, work: () => R): R {
    this.calls.push(call);
    this.before?.(call);
    const response = work();
    this.after?.(call);
    return response;
  }

  #beginTurn(request: BeginTurnRequest) {
    const earlier = runOfKey(this.#sessions.values(), request);
    if (earlier !== undefined) return { invocationId: earlier.invocationId, already: true };
    const session = request.createsSession ? this.create(request.session as SessionKey) : this.#find(request.session);
    const invocationId = request.invocationId || `e-${randomUUID()}`;
    const run: StoredRun = { request, invocationId, status: 'queued', attempt: 0 };
    session.runs.push(run);
    if (session.turn !== undefined) return { invocationId, sessionPk: session.pk };
    if (!request.postpone) return { invocationId, turn: Object.assign(startTurn(session, run), this.stateLimits) };
    session.turn = invocationId;
    run.status = 'granted';
    return { invocationId, sessionPk: session.pk, granted: true };
  }

  #checkQueuedRuns({ owner, runs }: CheckQueuedRunsRequest) {
    const found = runs.map((run) => ({
      run,
      stored: this.#byPk.get(run.sessionPk)?.runs.find(({ invocationId }) => invocationId === run.invocationId),
    }));
    return {
      granted: found
        .filter(({ stored }) => stored?.status === 'granted' && stored.request.owner === owner)
        .map(({ run }) => run),
      left: found.flatMap(({ run, stored }) => {
        const status = stored === undefined ? RunStatus.CANCELLED : publicStatus(stored);
        return status === RunStatus.QUEUED ? [] : [{ run, status }];
      }),
    };
  }

  #claimRuns({ session, invocationId, limit }: ClaimRunsRequest) {
    if (session !== undefined && this.emptyClaims-- > 0) return { status: RunStatus.QUEUED };
    const among = session === undefined ? [...this.#sessions.values()] : [this.#find(session)];
    const due = among.flatMap((one) =>
      one.runs
        .filter((run) => run.status === 'granted' && (session === undefined || run.invocationId === invocationId))
        .map((run) => ({ session: one, run })),
    );
    const turns = due.slice(0, limit).map((one) => startTurn(one.session, one.run));
    const named = among.flatMap(({ runs }) => runs).find((run) => run.invocationId === invocationId);
    const status = named === undefined ? RunStatus.CANCELLED : publicStatus(named);
    return session === undefined || turns.length > 0 ? { turns } : { status };
  }

  #appendEvents(request: AppendEventsRequest) {
    const session = this.#byPk.get(request.sessionPk);
    const messagesJson = messagesSince(session, request);
    const answer = { lastSeq: 0, stateDeltasJson: othersSince(session, request.lastSeq), messagesJson };
    if (session !== undefined && holds(session, request)) return { ...answer, lastSeq: session.events.length };
    if (session?.runs.some(({ cancelling }) => cancelling === request.fence)) {
      if (request.end?.outcome !== AttemptEnd_Outcome.CANCELLED) throw new MeshError('aborted', 'run_cancelling', '');
    } else if (session?.fence !== request.fence || session.turn !== request.invocationId) {
      throw new MeshError('aborted', 'fence_lost', 'The run no longer holds the turn of its session.');
    }
    for (const event of request.events) {
      if (event.partial) throw new MeshError('invalid_argument', 'request_invalid', 'A partial event.');
      append(session, event.json, event.stateDeltaJson);
    }
    const isNatural = request.end?.outcome === AttemptEnd_Outcome.COMPLETED;
    const goesOn = request.takesMessages && isNatural && messagesJson.length > 0;
    if (request.end !== undefined && !goesOn) this.#end(session, request.end);
    return { ...answer, lastSeq: session.events.length, goesOn };
  }

  #end(session: StoredSession, end: AttemptEnd): void {
    const ended = session.runs.find(({ status }) => status === 'running');
    if (ended !== undefined) Object.assign(ended, { status: 'ended', end });
    delete session.turn;
    const next = session.runs.find(({ status }) => status === 'queued');
    if (next === undefined) return;
    next.status = 'granted';
    session.turn = next.invocationId;
    this.onGranted?.(next.request.owner, session.key, next.invocationId);
  }

  #renewLeases(request: RenewLeasesRequest) {
    const { leases } = request;
    this.onRenewal?.(request);
    const isCancelled = ({ sessionPk, fence }: Lease) =>
      this.#byPk.get(sessionPk)?.runs.some(({ cancelling }) => cancelling === fence) ?? false;
    const lost = leases.filter(({ sessionPk, fence }) => this.#byPk.get(sessionPk)?.fence !== fence);
    return {
      lost: lost.filter((lease) => !isCancelled(lease)),
      cancelled: leases.filter(isCancelled),
      now: this.clock,
    };
  }

  #find(key: SessionKey | undefined): StoredSession {
    const session = key && this.#sessions.get(nameOf(key));
    if (session === undefined) throw new MeshError('not_found', 'session_not_found', 'Session not found');
    return session;
  }
}
