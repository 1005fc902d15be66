import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { joinBytes, sendJson } from '../../edge/json/json-bytes.ts';
import { readsAsAuthor } from '../run-family.ts';
import { namedRun, RunPath, RunPlace } from './run-paths.ts';

const RunLogLine = Type.Object(
  {
    time: Type.Number({ description: 'Unix time in seconds.' }),
    level: Type.Union(['debug', 'info', 'warn', 'error'].map((level) => Type.Literal(level))),
    message: Type.String({ description: 'At most 4,096 characters.' }),
    source: Type.Union([Type.Literal('app'), Type.Literal('mesh')], {
      description: '`app`: code of the app has printed it. `mesh`: this server tells it.',
    }),
    attempt: Type.Integer(),
    attributes: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Such as `tool`, `model`, `errorCode`, and `stack` within the folder of the app.',
      }),
    ),
  },
  { title: 'RunLogLine' },
);

const RunLog = Type.Object(
  {
    lines: Type.Array(RunLogLine, { description: 'Oldest first, attempt by attempt.' }),
    leftOut: Type.Optional(
      Type.Integer({
        description: 'Number of lines beyond the bounds of a run, which are not kept. Absent without any.',
      }),
    ),
  },
  { title: 'RunLog', description: 'The code of the app has printed these lines, or the mesh warns of something.' },
);

/** Adds the route that shows the log of a run. */
export function runLogRoute(app: App, { authentication, runs }: Context): void {
  app.get(
    '/runs/:invocation_id/log',
    readsAsAuthor(authentication, {
      operationId: 'getRunLog',
      summary: 'Get the log of a run',
      description:
        'The lines that code of the app prints with `console`, and warnings and errors of the mesh about the run. A line is there within about a second, ' +
        'also while the run goes on, for the days of `TRACES_KEEP_DAYS`. A run keeps 1,000 lines and 256 KiB. None when the run was not sampled.',
      params: RunPath,
      querystring: RunPlace,
      response: { 200: RunLog },
      refusals: [404],
    }),
    async (request, reply) => {
      const { linesJson, leftOut } = await runs.getRunLog(namedRun(request), unary);
      const tail = leftOut > 0n ? `,"leftOut":${leftOut}}` : '}';
      return sendJson(reply, joinBytes([Buffer.from('{"lines":'), linesJson, Buffer.from(tail)]));
    },
  );
}
