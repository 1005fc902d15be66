import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { newAccount, runBody } from '../caller.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../fakes/otlp-receiver.ts';
import { agentsDir, type Mode, startMesh } from '../mesh.ts';

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
    const found = () => ofRun.map((name) => spans().find((span) => span.name === name));
    await expect.poll(() => found().map((span) => span?.process)).toEqual(processes);
    const [request, run, begin, append] = found();
    expect(request?.parentSpanId).toBe('1234567890abcdef');
    expect(run?.parentSpanId).toBe(request?.spanId);
    // Spans between them may end, and so be exported, later than these.
    for (const span of [begin, append]) await expect.poll(() => ancestorsOf(span, spans())).toContain(run?.spanId);
    const made = receiver.spans.find(({ name }) => name === 'POST /apps/:app_name/users/:user_id/sessions');
    expect(made?.traceId).not.toBe(traceId);
    expect(receiver.bodies.join()).not.toContain('what only we know');
  },
);

function ancestorsOf(span: ReceivedSpan | undefined, among: readonly ReceivedSpan[]): string[] {
  const parent = among.find(({ spanId }) => spanId === span?.parentSpanId);
  return parent === undefined ? [] : [parent.spanId, ...ancestorsOf(parent, among)];
}
