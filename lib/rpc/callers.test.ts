import { AuthService } from '@agentmesh/proto/auth/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { create } from '@bufbuild/protobuf';
import { MethodDescriptorProtoSchema, ServiceDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it, vi } from 'vitest';
import { callersOf } from './index.ts';
import { failureOf } from './testing/test-calls.ts';
import { testMesh } from './testing/test-mesh.ts';

describe.each([
  ['in one process', true],
  ['between processes', false],
])('%s', (_, local) => {
  it('a caller that the contract does not name is refused before the handler, and logged once', async () => {
    const handler = vi.fn<() => object>(() => ({ account: { id: 'a1' } }));
    await using mesh = await testMesh({ local, auth: { getAccount: handler } });
    const auth = mesh.client.as('runs').client(AuthService);
    const refusal = { code: 'permission_denied', reason: 'caller_refused' };
    for (let n = 0; n < 3; n += 1) expect(await failureOf(auth.getAccount({ id: 'a1' }))).toMatchObject(refusal);
    expect(handler).not.toHaveBeenCalled();
    const rpc = 'agentmesh.auth.v1.AuthService/GetAccount';
    expect(mesh.logged.filter((line) => line['rpc'] === rpc)).toMatchObject([{ level: 'warn', caller: 'runs' }]);
    expect(await mesh.client.as('gateway').client(AuthService).getAccount({ id: 'a1' })).toMatchObject({
      account: { id: 'a1' },
    });
  });

  it('a stream is refused in the same way', async () => {
    await using mesh = await testMesh({ local, runs: { run: () => expect.unreachable() } });
    const answers = mesh.client.as('memory').client(RunsService).run({})[Symbol.asyncIterator]();
    expect(await failureOf(answers.next())).toMatchObject({ reason: 'caller_refused' });
  });
});

it('a declaration of a method replaces that of its service', () => {
  expect([...callersOf(SessionsService.method.beginTurn)]).toEqual(['runs']);
  expect([...callersOf(SessionsService.method.patchSession)]).toEqual(['gateway']);
});

it('a method without a declaration is not served', () => {
  const parent = { ...AuthService, proto: create(ServiceDescriptorProtoSchema) };
  const undeclared = { ...AuthService.method.getAccount, proto: create(MethodDescriptorProtoSchema), parent };
  expect(() => callersOf(undeclared)).toThrow('does not declare who may call it');
});
