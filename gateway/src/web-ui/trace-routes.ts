import type { ListSpansRequestSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { jsonArray, sendJson } from '../edge/json/json-bytes.ts';
import { storedId } from '../edge/records/keywords.ts';

const hide = true;
const app_name = storedId();
const SessionTrace = Type.Object({ app_name, session_id: storedId() });
const EventTrace = Type.Object({ app_name, event_id: storedId() });

/** Spans of the latest runs, in the form that the web UI's trace view reads. */
export function traceRoutes(ui: App, { authentication, runs }: Context): void {
  const preValidation = authentication.account;
  const find = async (of: MessageInitShape<typeof ListSpansRequestSchema>) => (await runs.listSpans(of, unary)).spans;

  ui.get(
    '/dev/apps/:app_name/debug/trace/session/:session_id',
    { preValidation, schema: { hide, params: SessionTrace } },
    async ({ identity, params }, reply) => {
      const of = { case: 'sessionId', value: params.session_id } as const;
      return sendJson(reply, jsonArray(await find({ accountId: identity.accountId, appName: params.app_name, of })));
    },
  );

  ui.get(
    '/dev/apps/:app_name/debug/trace/:event_id',
    { preValidation, schema: { hide, params: EventTrace } },
    async ({ identity, params }) => {
      const of = { case: 'eventId', value: params.event_id } as const;
      const [span] = await find({ accountId: identity.accountId, appName: params.app_name, of });
      if (span === undefined) throw new HttpError(404, 'Trace not found');
      const { attributes, trace_id, span_id } = JSON.parse(Buffer.from(span).toString()) as SpanJson;
      return { ...attributes, trace_id, span_id };
    },
  );
}

interface SpanJson {
  readonly trace_id: string;
  readonly span_id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}
