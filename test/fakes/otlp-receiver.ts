import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** An exported span. */
export interface ReceivedSpan {
  /** `service.name` of the process. */
  readonly process: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** Number of OTLP: 2 of a server, 3 of a client, 5 of a consumer of messages. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  /** The received spans, and the request bodies that contained them. */
  readonly spans: readonly ReceivedSpan[];
  readonly bodies: readonly string[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}
type SentSpan = Omit<ReceivedSpan, 'process' | 'attributes'> & { readonly attributes?: readonly Attribute[] };
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** The traces endpoint of an OpenTelemetry collector, in the JSON form of OTLP/HTTP. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const isExport = request.method === 'POST' && request.url === '/v1/traces';
    if (!isExport || request.headers['content-type'] !== 'application/json') {
      response.writeHead(isExport ? 415 : 404).end();
      return;
    }
    void text(request).then((body) => {
      bodies.push(body);
      spans.push(...spansOf(JSON.parse(body) as Export));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, kind, attributes = [] }) => ({
        process,
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        kind,
        attributes: Object.fromEntries(
          attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
        ),
      })),
    );
  });
}
