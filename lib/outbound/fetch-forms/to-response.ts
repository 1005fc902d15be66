import { finished, pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createGunzip, createInflate } from 'node:zlib';
import { AnswerRefused, reasonPhrase } from '../answers/index.ts';
import type { Answer } from './ask.ts';
import type { ApiRequest } from './to-request.ts';

/** Most codings of one answer. */
const mostCodings = 2;
/** Bytes by which a compressed answer may be larger than what it holds. */
const mostOverhead = 1024 * 1024;
/** Options of decoders: bytes are handed on as soon as they arrive, as events need it, and an answer may lack its end. */
const zlib = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
/** Without Brotli: the window of a small answer may take 16 MiB. */
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(zlib)],
  ['x-gzip', () => createGunzip(zlib)],
  ['deflate', () => createInflate(zlib)],
]);
const [withoutBody, resetContent] = [new Set([204, 304]), 205];

/** An answer as a Response, whose body is read as it is asked for. Throws for a status or a header that a Response cannot have. */
export function toResponse(asked: Pick<ApiRequest, 'url' | 'method' | 'signal'>, answer: Answer): Response {
  const { status } = answer;
  const headers = toHeaders(answer.headers);
  const statusText = reasonPhrase(answer.statusText);
  const response = new Response(bodyOf(asked, answer, headers), { status, statusText, headers });
  Object.defineProperty(response, 'url', { value: asked.url.href });
  return response;
}

function toHeaders(fields: Answer['headers']): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  return headers;
}

function bodyOf({ method, signal }: Pick<ApiRequest, 'method' | 'signal'>, { status, body }: Answer, headers: Headers) {
  if (method === 'HEAD' || withoutBody.has(status)) body.resume();
  else if (status === resetContent) body.destroy();
  else return streamOf(decode(body, headers), signal);
  return null;
}

/** The body without its codings; as it is where one is unknown. */
function decode(body: Readable, headers: Headers): Readable {
  const codings = (headers.get('content-encoding') ?? '').toLowerCase().split(',');
  if (codings.length > mostCodings) throw new Error(`The answer has more than ${mostCodings} codings.`);
  const known = codings.flatMap((coding) => decoders.get(coding.trim()) ?? []);
  if (known.length < codings.length) return body;
  const chain = known.toReversed().map((create) => create());
  // The last one tells the fault to its reader.
  const last = pipeline([body, ...chain], () => undefined) as Transform;
  last.once('end', () => body.destroy());
  return boundOverhead(body, last);
}

/** Compressed bytes may hold nothing, without end. */
function boundOverhead(body: Readable, decoded: Readable): Readable {
  let overhead = 0;
  body.on('data', ({ length }: Uint8Array) => {
    overhead += length;
    if (overhead > mostOverhead)
      body.destroy(new AnswerRefused('too_large', 'The server compressed its answer to more than it holds.'));
  });
  decoded.pause().on('data', ({ length }: Uint8Array) => (overhead -= length));
  return decoded;
}

/** The chunks of a body as they are, and none before it is asked for. Node's own `toWeb` copies each. */
function streamOf(body: Readable, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  let isLeft = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.on('data', (chunk: Uint8Array) => {
          body.pause();
          controller.enqueue(chunk);
        });
        finished(body, { writable: false }, (cause) => {
          if (isLeft) return;
          if (cause === undefined || cause === null) controller.close();
          else controller.error(signal?.aborted === true ? signal.reason : new TypeError('terminated', { cause }));
        });
        body.pause();
      },
      pull: () => void body.resume(),
      cancel() {
        isLeft = true;
        body.removeAllListeners('data').destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
