import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import type { DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { type CallOptions, type Client, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openConnection } from '../client/grpc-connection.ts';
import { MeshError } from '../index.ts';
import { MESH_IDENTITY } from '../identity/index.ts';
import { presentAs } from '../testing/present-as.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { chunk, textOf, untilAborted } from '../testing/test-calls.ts';
import { type TestMesh, type TestMeshOptions, testMesh } from '../testing/test-mesh.ts';
import { decode, encode } from '../messages/index.ts';
import { asIs } from '../wire/index.ts';

// Other programs call the methods one by one, as any gRPC service.

let opened: AsyncDisposableStack;
let mesh: TestMesh;
let client: Client;

beforeEach(() => {
  opened = new AsyncDisposableStack();
});

afterEach(() => opened.disposeAsync());

async function start(services: Pick<TestMeshOptions, 'auth' | 'runs'>): Promise<void> {
  mesh = opened.use(await testMesh({ local: false, ...services }));
  client = openConnection({ url: mesh.url });
  opened.defer(() => client.close());
}

async function metadata(identities = mesh.options.identities): Promise<Metadata> {
  const sent = await presentAs('gateway', { audience: ['auth', 'runs'], identities });
  sent.set('x-request-id', 'r-1');
  return sent;
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

interface Sent {
  readonly metadata?: Metadata;
  readonly options?: CallOptions;
}

type GetAccount = typeof AuthService.method.getAccount;

async function getAccount(request: MessageInitShape<GetAccount['input']>, sent: Sent = {}) {
  const method = AuthService.method.getAccount;
  const presented = sent.metadata ?? (await metadata());
  return new Promise<MessageShape<GetAccount['output']>>((resolve, reject) => {
    const settle = (error: ServiceError | null, answer?: Buffer): void => {
      if (answer) resolve(decode(method.output, answer));
      else reject(error ?? new Error('no answer'));
    };
    const bytes = encode(method.input, request);
    client.makeUnaryRequest(pathOf(method), asIs, asIs, bytes, presented, sent.options ?? {}, settle);
  });
}

async function run() {
  const method = RunsService.method.run;
  const stream = client.makeServerStreamRequest(
    pathOf(method),
    asIs,
    asIs,
    encode(method.input, {}),
    await metadata(),
    {},
  );
  const texts: string[] = [];
  stream.on('data', (bytes: Buffer) => texts.push(textOf(decode(method.output, bytes))));
  const failure = new Promise<ServiceError>((resolve) => {
    stream.once('error', resolve as (error: Error) => void);
  });
  return { stream, texts, failure };
}

test('a method with one answer answers, and its handler sees the headers but not the credential', async () => {
  let seen: (string | null)[] = [];
  await start({
    auth: {
      getAccount: ({ id }, { requestHeader }) => {
        seen = [requestHeader.get('x-request-id'), requestHeader.get(MESH_IDENTITY)];
        return { account: { id } };
      },
    },
  });
  expect((await getAccount({ id: 'a1' })).account?.id).toBe('a1');
  expect(seen).toEqual(['r-1', null]);
});

test('a MeshError is a status whose trailer mesh-reason says the reason', async () => {
  await start({
    auth: {
      getAccount: () => {
        throw new MeshError('not_found', 'account_not_found', 'No such account ✓');
      },
    },
  });
  const failure = await getAccount({ id: 'a1' }).catch((error: unknown) => error as ServiceError);
  expect(failure).toMatchObject({ code: status.NOT_FOUND, details: 'No such account ✓' });
  expect((failure as ServiceError).metadata.get('mesh-reason')).toEqual(['account_not_found']);
});

test('a call without the credential is refused', async () => {
  await start({ auth: { getAccount: () => expect.unreachable() } });
  const refused = { code: status.UNAUTHENTICATED };
  await expect(getAccount({ id: 'a1' }, { metadata: await metadata(testIdentities('wrong')) })).rejects.toMatchObject(
    refused,
  );
});

test('a deadline ends the call at both ends', async () => {
  let reason: unknown;
  await start({
    auth: {
      getAccount: async ({ id }, { signal }) => {
        if (id === 'first') return {};
        await untilAborted(signal).catch(() => undefined);
        reason = signal.reason;
        return {};
      },
    },
  });
  // The time for the connection does not count against the deadline.
  await getAccount({ id: 'first' });
  const late = getAccount({ id: 'a1' }, { options: { deadline: Date.now() + 1_000 } });
  await expect(late).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  await vi.waitFor(() => expect(reason).toMatchObject({ code: 'deadline_exceeded' }));
});

test('a stream sends every answer before its failure', async () => {
  await start({
    runs: {
      async *run() {
        yield chunk('one');
        yield chunk('two');
        throw new MeshError('aborted', 'fence_lost', 'Another one runs');
      },
    },
  });
  const { texts, failure } = await run();
  expect(await failure).toMatchObject({ code: status.ABORTED });
  expect(texts).toEqual(['one', 'two']);
});

test('a caller that cancels a stream ends its handler', async () => {
  let left = false;
  await start({
    runs: {
      async *run(_, { signal }) {
        try {
          yield chunk('one');
          await untilAborted(signal);
        } finally {
          left = true;
        }
      },
    },
  });
  const { stream, texts, failure } = await run();
  await vi.waitFor(() => expect(texts).toEqual(['one']));
  stream.cancel();
  expect(await failure).toMatchObject({ code: status.CANCELLED });
  await vi.waitFor(() => expect(left).toBe(true));
});
