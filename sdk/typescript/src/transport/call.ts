import { PathValueError } from '../errors.ts';

/** Bytes to send. A function is called for each try, so that the bytes of a stream can be sent again. */
export type Upload = Sendable | (() => Sendable | Promise<Sendable>);
export type Sendable = string | Uint8Array<ArrayBuffer> | Blob | FormData | ReadableStream<Uint8Array>;

/** Options of every request. */
export interface CallOptions {
  /** Ends the request, or the reading of a stream. A run goes on. */
  readonly signal?: AbortSignal | undefined;
  /** `Idempotency-Key` of a POST or PATCH; a random one by default. */
  readonly idempotencyKey?: string | undefined;
}

/** A request. */
export interface Call extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path from the root of the server, with its parts encoded. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: object | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly upload?: Upload | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A path with its values encoded, each of which is one segment: route\`/runs/${id}\`. Throws PathValueError for a value that no segment can have. */
export function route(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return texts.reduce((path, text, index) => {
    const place = `${texts.slice(0, index).join('…')}…`;
    return `${path}${segment(values[index - 1], place)}${text}`;
  });
}

/** A value as a segment of a path. `place` is the path up to it, for the error. */
export function segment(value: string | number | null | undefined, place: string): string {
  const text = String(value ?? '');
  if (['', '.', '..'].includes(text)) throw new PathValueError(place, value);
  return encodeURIComponent(text);
}

/** The query of a URL, with `?`; empty without values. */
export function queryOf(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}
