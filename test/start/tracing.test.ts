import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { newAccount, runBody, sessionPath } from '../caller.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../fakes/otlp-receiver.ts';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { startFakeOpenAi } from '../fakes/openai.ts';
import { agentsDir, type Mode, startMesh } from '../mesh.ts';

/** Kinds of spans in OTLP. */
const [server, client, producer] = [2, 3, 4];

const ofRun = [
  'POST /run',
  'agentmesh.runs.v1.RunsService/Run',
  'agentmesh.sessions.v1.SessionsService/BeginTurn',
  'agentmesh.sessions.v1.SessionsService/AppendEvents',
];

test.each<[Mode, string[]]>([
  ['all', ['agentmesh-mesh', 'agentmesh-mesh', 'agentmesh-mesh', 'agentmesh-mesh']],
  ['separate', ['agentmesh-gateway', 'agentmesh-runs', 'agentmesh-sessions', 'agentmesh-sessions']],
])(
  'with an exporter, a run is one trace over all its services, under that of its caller: %s',
  {
    timeout: 120_000,
  },
  async (mode, processes) => {
    await using receiver = await startOtlpReceiver();
    await using database = await testDatabaseUrl();
    const env = {
      AGENTS_DIR: agentsDir,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    await using mesh = await startMesh({ mode, databaseUrl: database.url, env });
    const caller = await newAccount(mesh.url);
    const session = await caller.createSession();
    const traceId = 'abcdefabcdefabcdefabcdefabcdef12';
    const response = await fetch(`${mesh.url}/run`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.token}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-1234567890abcdef-01`,
      },
      body: JSON.stringify(runBody(session, 'what only we know')),
    });
    expect(response.status).toBe(200);

    const spans = () => receiver.spans.filter((span) => span.traceId === traceId);
    const found = () => ofRun.map((name) => spans().find((span) => span.name === name && span.kind === server));
    await expect.poll(() => found().map((span) => span?.process)).toEqual(processes);
    const [request, run, begin, append] = found();
    expect(request?.parentSpanId).toBe('1234567890abcdef');
    // Spans between them may end, and so be exported, later than these.
    await expect.poll(() => ancestorsOf(run, spans())).toContain(request?.spanId);
    for (const span of [begin, append]) await expect.poll(() => ancestorsOf(span, spans())).toContain(run?.spanId);
    const made = receiver.spans.find(({ name }) => name === 'POST /apps/:app_name/users/:user_id/sessions');
    expect(made?.traceId).not.toBe(traceId);
    expect(receiver.bodies.join()).not.toContain('what only we know');
  },
);

const exporter = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '100',
});

test('spans follow the conventions for HTTP, RPC, databases and models: the provider of the model, the app and a hash of the account, and the model is told the trace', async () => {
  await using receiver = await startOtlpReceiver();
  await using database = await testDatabaseUrl();
  await using openAi = await startFakeOpenAi();
  const models = { OPENAI_BASE_URL: openAi.baseUrl, OPENAI_API_KEY: 'sk-test' };
  const env = { AGENTS_DIR: agentsDir, ...models, ...exporter(receiver.url), GATEWAY_ACCESS_SAMPLE: '1' };
  const apart = ['gateway', 'runs', 'sessions'];
  await using mesh = await startMesh({ mode: 'separate', apart, databaseUrl: database.url, env });
  const caller = await newAccount(mesh.url);
  await caller.run(await caller.createSession('chat'), 'what only we know');
  const find = (name: string, kind?: number) =>
    receiver.spans.find((span) => span.name === name && (kind === undefined || span.kind === kind));
  const hash = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
  const expected: [string, number | undefined, object][] = [
    [
      'POST /run',
      server,
      {
        'http.request.method': 'POST',
        'http.route': '/run',
        'http.response.status_code': 200,
        'agentmesh.account.hash': hash,
      },
    ],
    ['agentmesh.runs.v1.RunsService/Run', client, { 'rpc.system.name': 'grpc', 'rpc.method': 'Run' }],
    [
      'agentmesh.sessions.v1.SessionsService/BeginTurn',
      server,
      { 'rpc.service': 'agentmesh.sessions.v1.SessionsService' },
    ],
    [
      'send agentmesh.sessions.v1.run_ended',
      producer,
      { 'messaging.destination.name': 'agentmesh.sessions.v1.run_ended', 'messaging.operation.type': 'send' },
    ],
    [
      'invocation',
      undefined,
      { 'agentmesh.app.name': 'chat', 'agentmesh.account.hash': hash, 'agentmesh.run.id': expect.any(String) },
    ],
    [
      'chat openai/test-model',
      undefined,
      {
        'gen_ai.provider.name': 'openai',
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'openai/test-model',
      },
    ],
  ];
  for (const [name, kind, attributes] of expected)
    await expect.poll(() => find(name, kind)?.attributes, { message: name }).toMatchObject(attributes);
  const chat = find('chat openai/test-model');
  const told = openAi.headers.map(({ traceparent }) => String(traceparent).split('-')[1]);
  expect(told).toEqual([chat?.traceId]);
  const ofDatabase = receiver.spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
  expect(
    ofDatabase.filter(({ traceId, process }) => traceId === chat?.traceId && process === 'agentmesh-sessions'),
  ).not.toEqual([]);
  const { ms = 0, parts } = lineOf(mesh.lines, '/run') ?? {};
  expect(parts).toEqual({
    own: expect.any(Number),
    rpc: expect.any(Number),
    database: expect.any(Number),
    model: expect.any(Number),
  });
  expect(Math.min(parts?.database ?? 0, parts?.model ?? 0)).toBeGreaterThan(0);
  // Each part is rounded to a tenth.
  expect(Object.values(parts ?? {}).reduce((sum, part) => sum + part, 0)).toBeGreaterThan(ms - 0.5);
  expect(receiver.bodies.join()).not.toMatch(/gcp\.vertex\.agent\.|"gen_ai\.system"|what only we know/);
}, 120_000);

interface AccessLine {
  readonly status: number;
  readonly ms: number;
  readonly parts: Readonly<Record<'own' | 'rpc' | 'database' | 'model', number>>;
}

/** The line that the gateway has logged for a request of a route. */
function lineOf(lines: readonly string[], route: string): AccessLine | undefined {
  const line = lines.find((it) => it.includes('"msg":"request"') && it.includes(`"route":"${route}"`));
  return line === undefined ? undefined : (JSON.parse(line) as AccessLine);
}

test.each<Mode>(['all', 'separate'])(
  'a request that failed has a line with the time by part, and others have none unless they are sampled: %s',
  { timeout: 120_000 },
  async (mode) => {
    await using database = await testDatabaseUrl();
    const env = { AGENTS_DIR: agentsDir };
    await using mesh = await startMesh({ mode, apart: ['sessions'], databaseUrl: database.url, env });
    const caller = await newAccount(mesh.url);
    const session = await caller.createSession();
    expect((await caller.request('GET', sessionPath({ ...session, id: 'nowhere' }))).status).toBe(404);
    const route = '/apps/:app_name/users/:user_id/sessions/:session_id';
    await expect.poll(() => lineOf(mesh.lines, route)).toMatchObject({ status: 404, parts: { model: 0 } });
    const { ms, parts } = lineOf(mesh.lines, route) as AccessLine;
    expect(parts.database).toBeGreaterThan(0);
    expect(parts.own + parts.rpc + parts.database).toBeGreaterThan(ms - 0.5);
    expect(parts.own).toBeLessThan(ms);
    expect(lineOf(mesh.lines, '/apps/:app_name/users/:user_id/sessions')).toBeUndefined();
  },
);

test('an idle mesh makes no spans', async () => {
  await using receiver = await startOtlpReceiver();
  await using database = await testDatabaseUrl();
  const [opsPort = 0] = await freePorts(1);
  const ownEnv = (name: string) => ({ OPS_PORT: name === 'sessions' ? String(opsPort) : '0' });
  const env = { AGENTS_DIR: agentsDir, ...exporter(receiver.url) };
  await using mesh = await startMesh({ mode: 'separate', databaseUrl: database.url, env, ownEnv });
  const leases = async () => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    return Number(
      /^agentmesh_rpc_server_duration_seconds_count\{.*method="RenewLeases".*\} (\d+)$/m.exec(text)?.[1] ?? 0,
    );
  };
  await expect.poll(leases, { timeout: 60_000 }).toBeGreaterThan(3);
  await fetch(`${mesh.url}/readyz`);
  // A span of its own tells that all earlier ones have arrived.
  await fetch(`${mesh.url}/version`);
  await expect.poll(() => receiver.spans.map(({ name }) => name)).toEqual(['GET /version']);
}, 120_000);

function ancestorsOf(span: ReceivedSpan | undefined, among: readonly ReceivedSpan[]): string[] {
  const parent = among.find(({ spanId }) => spanId === span?.parentSpanId);
  return parent === undefined ? [] : [parent.spanId, ...ancestorsOf(parent, among)];
}
