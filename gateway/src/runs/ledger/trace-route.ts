import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { joinBytes, sendJson } from '../../edge/json/json-bytes.ts';
import { readsOfRun } from '../run-family.ts';
import { namedRun, RunPath, RunPlace } from './run-paths.ts';

const SpanRecord = Type.Object(
  {
    id: Type.String(),
    parentId: Type.Optional(Type.String({ description: 'Absent for the span of an attempt.' })),
    name: Type.String({ examples: ['chat openai/gpt-5'] }),
    start: Type.Number({ description: 'Unix time in seconds.' }),
    end: Type.Number({ description: 'Unix time in seconds.' }),
    status: Type.Union([Type.Literal('ok'), Type.Literal('error')]),
    attributes: Type.Record(Type.String(), Type.Unknown(), {
      description:
        '`gen_ai.…` as OpenTelemetry names them; `agentmesh.event.id` is the event of the run that was made in the span, which holds what was said.',
    }),
  },
  { title: 'RunSpan' },
);

const Trace = Type.Object(
  {
    semanticConventions: Type.String({ description: 'Version of the names of attributes.', examples: ['1.37.0'] }),
    spans: Type.Array(SpanRecord),
  },
  { title: 'RunTrace', description: 'When the agents, models and tools of a run were at work.' },
);

/** Adds the route that shows the spans of a run. */
export function traceRoute(app: App, { authentication, runs }: Context): void {
  app.get(
    '/runs/:invocation_id/trace',
    readsOfRun(authentication, {
      operationId: 'getRunTrace',
      summary: 'Get the trace of a run',
      description:
        'The spans of agents, model calls and tools, in terms of OpenTelemetry. Those of an attempt are there within seconds after it has ended, for the days of `TRACES_KEEP_DAYS`. ' +
        'None when the run was not sampled.',
      params: RunPath,
      querystring: RunPlace,
      response: { 200: Trace },
      refusals: [404],
    }),
    async (request, reply) => {
      const { semanticConventions, spansJson } = await runs.getTrace(namedRun(request), unary);
      const [head, tail] = [`{"semanticConventions":${JSON.stringify(semanticConventions)},"spans":`, '}'];
      return sendJson(reply, joinBytes([Buffer.from(head), spansJson, Buffer.from(tail)]));
    },
  );
}
