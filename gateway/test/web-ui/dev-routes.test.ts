import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

const graph = {
  name: 'shop',
  root_agent: {
    name: 'shop',
    type: 'agent',
    tools: [{ name: 'look "up"', type: 'tool' }],
    sub_agents: [{ name: 'clerk', type: 'agent' }],
  },
};

const session = '/apps/shop/users/u/sessions/s';
const span = { name: 'call_llm', trace_id: 't1', span_id: 's1', attributes: { a: 1 } };

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    env: { ADK_WEB_UI: 'true' },
    runs: {
      getAppGraph: ({ appName }) => {
        if (appName === 'shop') return { json: Buffer.from(JSON.stringify(graph)) };
        throw new MeshError('not_found', 'app_not_found', 'No root_agent found');
      },
      listSpans: ({ appName, of }) => {
        const isKnown = appName === 'shop' && (of.value === 's' || of.value === 'ev-1');
        return { spans: isKnown ? [Buffer.from(JSON.stringify(span))] : [] };
      },
    },
    sessions: {
      getSession: async function* () {
        yield { events: [Buffer.from(JSON.stringify({ id: 'ev-1', author: 'clerk', content: { parts: [] } }))] };
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

describe("the web UI's own routes", () => {
  it('return the graphs of an app and of its events', async () => {
    expect((await edge.send('/dev/apps/shop/build_graph')).body).toEqual(graph);
    const image = (await edge.send('/dev/apps/shop/build_graph_image?dark_mode=true')).body as Record<string, object>;
    expect(image['']).toEqual({ dotSrc: expect.stringContaining('"shop" -> "look \\"up\\""') });
    const below = (await edge.send('/dev/apps/shop/build_graph_image?node=shop/clerk')).body;
    expect(below).toEqual({ 'shop/clerk': { dotSrc: expect.stringContaining('digraph "clerk"') } });
    const event = (await edge.send(`/dev${session}/events/ev-1/graph`)).body;
    expect(event).toEqual({ dotSrc: expect.stringContaining('"clerk" [style="rounded,filled" fillcolor=') });
  });

  it('answer 404 for unknown apps and events', async () => {
    const missing = async (path: string) => {
      const { status, body } = await edge.send(path);
      return [status, body];
    };
    expect(await missing('/dev/apps/nope/build_graph')).toEqual([404, { detail: 'App not found: nope' }]);
    expect(await missing('/dev/apps/shop/build_graph_image?node=x')).toEqual([404, { detail: 'Node not found: x' }]);
    expect(await missing(`/dev${session}/events/nope/graph`)).toEqual([404, { detail: 'Event not found: nope' }]);
    for (const name of ['eval_sets', 'eval_results', 'tests']) {
      expect(await missing(`/dev/apps/shop/${name}`)).toEqual([200, []]);
    }
    expect(await missing('/dev/apps/shop/metrics-info')).toEqual([200, { metricsInfo: [] }]);
    expect((await edge.send('/dev/apps/shop/builder')).text).toBe('');
  });

  it('say what this server does not have, whatever is sent', async () => {
    const paths = ['/dev/apps/shop/builder/save?tmp=true', '/dev/apps/shop/eval_sets/one', '/dev/apps/shop/tests/run'];
    for (const path of [...paths, '/dev/apps/shop/eval_sets']) {
      for (const method of path.endsWith('eval_sets') ? ['POST', 'DELETE'] : ['GET', 'POST', 'DELETE']) {
        const { status, body } = await edge.send(path, { method });
        expect([status, body]).toMatchObject([501, { detail: expect.stringContaining('not part of Agent Mesh') }]);
      }
    }
  });

  it('return the spans of a session and of an event', async () => {
    expect((await edge.send('/dev/apps/shop/debug/trace/session/s')).body).toEqual([span]);
    expect((await edge.send('/dev/apps/shop/debug/trace/session/other')).body).toEqual([]);
    const event = (await edge.send('/dev/apps/shop/debug/trace/ev-1')).body;
    expect(event).toEqual({ a: 1, trace_id: 't1', span_id: 's1' });
    const missing = await edge.send('/dev/apps/shop/debug/trace/nope');
    expect([missing.status, missing.body]).toEqual([404, { detail: 'Trace not found' }]);
  });

  it("need a token or the UI's cookie", async () => {
    for (const path of ['/dev/apps/shop/build_graph', '/dev/apps/shop/eval_sets', '/config/telemetry']) {
      expect((await edge.send(path, { headers: { authorization: null } })).status).toBe(401);
    }
  });

  it('send no telemetry, with any choice', async () => {
    expect((await edge.send('/config/telemetry')).body).toEqual({ telemetry: false });
    expect((await edge.send('/config/telemetry', { json: { telemetry: true } })).status).toBe(400);
    const headers = { 'x-adk-telemetry-request': 'true' };
    const chosen = await edge.send('/config/telemetry', { json: { telemetry: true }, headers });
    expect([chosen.status, chosen.body]).toEqual([200, { telemetry: false }]);
  });
});
