import { promisify } from 'node:util';
import { ExchangeRequestSchema } from '@agentmesh/proto/mesh/v1';
import { fromBinary } from '@bufbuild/protobuf';
import { Metadata, Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openConnection } from '../client/grpc-connection.ts';
import { failureOf } from '../testing/test-calls.ts';
import { asIs } from '../wire/index.ts';
import { EXCHANGE_PATH, ExchangeClient } from './exchange-client.ts';

let opened: AsyncDisposableStack;

beforeEach(() => {
  opened = new AsyncDisposableStack();
});

afterEach(() => opened.disposeAsync());

/** A stream of calls to a server that answers as it is told to. */
async function clientOf(answer: (stream: ServerDuplexStream<Buffer, Buffer>) => void): Promise<ExchangeClient> {
  const server = new Server();
  opened.defer(() => server.forceShutdown());
  const asItCame = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  const method = { path: EXCHANGE_PATH, requestStream: true, responseStream: true, ...asItCame };
  server.addService({ exchange: method }, { exchange: answer });
  const port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', ServerCredentials.createInsecure());
  const connection = openConnection({ url: `http://127.0.0.1:${port}` });
  opened.defer(() => connection.close());
  const client = new ExchangeClient(connection, new Metadata());
  await client.answered;
  return client;
}

const emptyCall = {
  method: 'agentmesh.auth.v1.AuthService/GetAccount',
  request: Buffer.from(''),
  context: {},
  headers: {},
  word: 'auth',
  timeoutMs: undefined,
  signal: undefined,
};

test('a server of an earlier version gets each call by itself', async () => {
  const heard: unknown[] = [];
  const client = await clientOf((stream) => {
    stream.sendMetadata(new Metadata());
    stream.on('data', (bytes: Buffer) => heard.push(fromBinary(ExchangeRequestSchema, bytes).kind.case));
  });
  for (let sent = 0; sent < 20; sent += 1) client.call(emptyCall, () => undefined);
  await vi.waitFor(() => expect(heard).toEqual(Array.from({ length: 20 }, () => 'call')));
});

test('bytes of a server that are no message end their stream, whose calls move where they may be repeated and fail otherwise', async () => {
  const ended = Promise.withResolvers<void>();
  const client = await clientOf((stream) => {
    stream.sendMetadata(new Metadata());
    stream.on('data', () => stream.write(Buffer.from([0xff, 0xff, 0xff])));
    stream.once('cancelled', () => ended.resolve());
  });
  const moved: unknown[] = [];
  client.hasOther = () => true;
  const repeatable = client.call({ ...emptyCall, isRepeatable: true }, (call) => moved.push(call));
  const failed = failureOf(client.call(emptyCall, () => undefined).next());
  expect(await failed).toMatchObject({ code: 'internal' });
  expect(moved).toEqual([repeatable]);
  expect(client.retired).toBe(true);
  await ended.promise;
});
