import type { IncomingMessage } from 'node:http';
import { demand, demandKeys, parseObject, Refusal } from './demand.ts';
import type { FakeError } from './openai-answer.ts';
import { type FakeBody, json, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** A request that passed the fake's checks. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding: 'float' | 'base64';
  readonly dimensions: number | undefined;
}

/** Vectors like those of the fake's `vectorOf`. */
export type FakeVectors = Readonly<Record<string, never>>;

/** A fake of the OpenAI embeddings API. */
export interface FakeEmbeddings extends ScriptedServer<EmbeddingRequest, FakeVectors | FakeError> {
  /** Value for `OPENAI_BASE_URL`, ends in `/v1`. */
  readonly baseUrl: string;
}

export interface FakeEmbeddingsOptions {
  readonly apiKey: string;
  /** Returns the vector of a text. */
  readonly vectorOf: (text: string) => readonly number[];
}

const mostInputs = 2048;
const mostCharacters = 8192 * 4;

/** Starts a fake on a free loopback port. */
export async function startFakeEmbeddings({ apiKey, vectorOf }: FakeEmbeddingsOptions): Promise<FakeEmbeddings> {
  const server = await startScriptedServer<EmbeddingRequest, FakeVectors | FakeError>({
    read: (request, body) => read(request, body, apiKey),
    print: (answer, request) => ('error' in answer ? printError(answer as FakeError) : printVectors(request, vectorOf)),
    ok: {},
  });
  return Object.assign(server, { baseUrl: `${server.origin}/v1` });
}

function read(
  { method, url, headers }: IncomingMessage,
  body: string,
  apiKey: string,
): { right: EmbeddingRequest } | { wrong: FakeBody } {
  try {
    demand(method === 'POST' && url === '/v1/embeddings', `Invalid URL (${method} ${url})`, 404);
    demand(headers.authorization === `Bearer ${apiKey}`, 'Incorrect API key provided.', 401);
    demand(headers['content-type']?.startsWith('application/json') === true, 'Unsupported content type.');
    return { right: readRequest(body) };
  } catch (error) {
    if (error instanceof Refusal) {
      return { wrong: printError({ status: error.status, error: { message: error.message } }) };
    }
    throw error;
  }
}

function readRequest(text: string): EmbeddingRequest {
  const body = parseObject(text, 'We could not parse the JSON body of your request.');
  demandKeys(
    body,
    'model input encoding_format dimensions user',
    (key) => `Unrecognized request argument supplied: ${key}`,
  );
  const { model, input, encoding_format: encoding = 'float', dimensions } = body;
  demand(typeof model === 'string' && model !== '', 'you must provide a model parameter');
  const inputs: unknown = typeof input === 'string' ? [input] : input;
  demand(Array.isArray(inputs) && inputs.length > 0 && inputs.length <= mostInputs, "'$.input' is invalid.");
  const texts = inputs.filter((one) => typeof one === 'string' && one !== '') as string[];
  demand(texts.length === inputs.length, "'$.input' is invalid.");
  demand(
    texts.every((one) => one.length <= mostCharacters),
    "This model's maximum context length is 8192 tokens.",
  );
  demand(encoding === 'float' || encoding === 'base64', "Invalid value for 'encoding_format'.");
  const right = dimensions === undefined || (Number.isInteger(dimensions) && (dimensions as number) > 0);
  demand(right, "Invalid value for 'dimensions'.");
  return { model, input: texts, encoding, dimensions: dimensions as number | undefined };
}

function printVectors(request: EmbeddingRequest, vectorOf: FakeEmbeddingsOptions['vectorOf']): FakeBody {
  const { model, input, encoding, dimensions } = request;
  const data = input.map((text, index) => {
    const values = vectorOf(text).slice(0, dimensions);
    const embedding = encoding === 'float' ? values : Buffer.from(Float32Array.from(values).buffer).toString('base64');
    return { object: 'embedding', index, embedding };
  });
  return json({ object: 'list', data, model, usage: { prompt_tokens: 3, total_tokens: 3 } });
}

function printError({ status, error, headers }: FakeError): FakeBody {
  return json({ error: { type: 'invalid_request_error', param: null, code: null, ...error } }, status, headers);
}
