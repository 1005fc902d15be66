import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DescMethod, type DescService, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { MeshError, type MeshNode } from '../index.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface ExpectedCall {
  /** `MemoryService.SearchMemory`. */
  readonly call: string;
  /** Another caller that makes the call, which brings about what the others need. */
  readonly by?: string;
  /** The request as protobuf's JSON; a list for a stream. `"$name"` is a value that was kept, `{ "$json": … }` bytes that hold this JSON. */
  readonly send: JsonValue;
  /** Fields of the answer, at least; a list for a stream. Bytes whose field ends with `Json` are the JSON that they hold. */
  readonly get?: JsonValue;
  /** Reason of the failure instead of an answer. */
  readonly fail?: string;
  /** Values of the answer for later calls: name -> path, such as `turn.sessionPk`. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** The calls in the file `expects/<callee>.json` of a service that calls, in the order in which they are made. */
export interface Expectations {
  readonly caller: string;
  readonly calls: readonly ExpectedCall[];
}

/** An answer, or the reason of a failure, and what was expected of it. */
export interface ReplayedCall {
  readonly call: string;
  readonly got: unknown;
  readonly wanted: unknown;
}

/** Calls that every caller expects to work, from the files that the callers keep. */
export function expectationsOf(callee: string): Expectations[] {
  const files = globSync(`{gateway,services/*}/expects/${callee}.json`, { cwd: root }).toSorted();
  return files.map((file) => ({
    caller: dirname(dirname(file)).replace('services/', ''),
    calls: JSON.parse(readFileSync(join(root, file), 'utf8')) as ExpectedCall[],
  }));
}

/** Makes the calls of a caller. `given` are values that requests name. */
export async function replayCalls(
  mesh: Pick<MeshNode, 'as'>,
  { caller, calls }: Expectations,
  { services, given }: { readonly services: readonly DescService[]; readonly given: Readonly<Record<string, string>> },
): Promise<ReplayedCall[]> {
  const kept = new Map<string, JsonValue>(Object.entries(given));
  const replayed: ReplayedCall[] = [];
  for (const { call, by = caller, send, get, fail, keep = {} } of calls) {
    const [service, method] = methodOf(services, call);
    const client = mesh.as(by).client(service) as unknown as Record<string, (request: unknown) => unknown>;
    const got = await answerOf(method, () => client[method.localName]?.(requestOf(method, filled(send, kept))));
    for (const [name, path] of Object.entries(keep)) kept.set(name, valueAt(got, path));
    replayed.push({ call, got, wanted: fail ?? filled(get ?? {}, kept) });
  }
  return replayed;
}

function methodOf(services: readonly DescService[], call: string): [DescService, DescMethod] {
  const [serviceName, name] = call.split('.');
  const service = services.find((one) => one.name === serviceName);
  const method = service?.methods.find((one) => one.name === name);
  if (service === undefined || method === undefined) throw new Error(`there is no ${call}`);
  return [service, method];
}

function requestOf(method: DescMethod, json: JsonValue): unknown {
  const messages = (Array.isArray(json) ? json : [json]).map((one) => fromJson(method.input, one));
  return method.methodKind === 'client_streaming' ? asStream(messages) : messages[0];
}

async function* asStream<T>(messages: readonly T[]): AsyncGenerator<T> {
  yield* messages;
}

async function answerOf(method: DescMethod, call: () => unknown): Promise<JsonValue> {
  const json = (message: unknown): JsonValue =>
    readable(toJson(method.output, message as never, { alwaysEmitImplicit: true }));
  try {
    const answer = await call();
    if (method.methodKind !== 'server_streaming') return json(answer);
    return (await Array.fromAsync(answer as AsyncIterable<unknown>)).map(json);
  } catch (error) {
    if (error instanceof MeshError) return error.reason;
    throw error;
  }
}

/** Puts kept values in the place of their names, and bytes in that of JSON. */
function filled(json: JsonValue, kept: ReadonlyMap<string, JsonValue>): JsonValue {
  if (typeof json === 'string' && json.startsWith('$')) return kept.get(json.slice(1)) ?? json;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((one) => filled(one, kept));
  if ('$json' in json) return Buffer.from(JSON.stringify(filled(json['$json'] ?? null, kept))).toString('base64');
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, filled(value, kept)]));
}

function readable(json: JsonValue, key = ''): JsonValue {
  if (typeof json === 'string' && /json$/i.test(key) && json !== '')
    return JSON.parse(Buffer.from(json, 'base64').toString()) as JsonValue;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((one) => readable(one, key));
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, readable(value, name)]));
}

function valueAt(json: JsonValue, path: string): JsonValue {
  const found = path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], json);
  if (found === undefined) throw new Error(`the answer has no ${path}: ${JSON.stringify(json)}`);
  return found as JsonValue;
}
