import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { ApiRequest } from './to-request.ts';

/** Most codings of one answer. */
const mostCodings = 5;
/** What has arrived is handed on at once, as events need it, and an answer may lack its end. */
const zlib = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(zlib)],
  ['x-gzip', () => createGunzip(zlib)],
  ['deflate', () => createInflate(zlib)],
  ['br', () => createBrotliDecompress(brotli)],
]);
const withoutBody = new Set([204, 205, 304]);

/** An answer of undici as a Response, whose body is read as it is asked for. Throws for a status or a header that a Response cannot have. */
export function toResponse(
  asked: Pick<ApiRequest, 'url' | 'method' | 'signal'>,
  answer: Dispatcher.ResponseData,
): Response {
  const { statusCode: status, statusText } = answer;
  const headers = toHeaders(answer.headers);
  const hasNone = asked.method === 'HEAD' || withoutBody.has(status);
  const body = hasNone ? null : streamOf(decode(answer.body, headers), asked.signal);
  if (body === null) answer.body.resume();
  const response = new Response(body, { status, statusText, headers });
  Object.defineProperty(response, 'url', { value: asked.url.href });
  return response;
}

function toHeaders(fields: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  return headers;
}

/** The body without its codings; as it is where one is unknown. */
function decode(body: Readable, headers: Headers): Readable {
  const codings = (headers.get('content-encoding') ?? '').toLowerCase().split(',');
  if (codings.length > mostCodings) throw new Error(`The answer has more than ${mostCodings} codings.`);
  const known = codings.flatMap((coding) => decoders.get(coding.trim()) ?? []);
  if (known.length < codings.length) return body;
  const chain = known.toReversed().map((create) => create());
  // The last one tells the fault to its reader.
  return pipeline([body, ...chain], () => undefined) as Transform;
}

/** The chunks of a body as they are, and none before it is asked for. Node's own `toWeb` copies each. */
function streamOf(body: Readable, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.on('data', (chunk: Uint8Array) => {
          body.pause();
          controller.enqueue(chunk);
        });
        body.on('end', () => controller.close());
        body.on('error', (cause) => {
          controller.error(signal?.aborted === true ? signal.reason : new TypeError('terminated', { cause }));
        });
        body.pause();
      },
      pull: () => void body.resume(),
      cancel: () => void body.removeAllListeners('data').destroy(),
    },
    { highWaterMark: 0 },
  );
}
