import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestMesh, testMesh } from '../testing/test-mesh.ts';

const noHeaders = { headers: { 'not a name': 'x' } };
const refusal: unknown = expect.objectContaining({ name: 'MeshError', code: 'internal' });
const resources = new AsyncDisposableStack();
let mesh: TestMesh;

beforeAll(async () => {
  const getAccount = ({ id }: { readonly id: string }) => ({ account: { id } });
  mesh = resources.use(await testMesh({ local: false, auth: { getAccount } }));
});
afterAll(() => resources.disposeAsync());

describe('a call that cannot be sent rejects with MeshError', () => {
  test.each(['before the connection is made', 'when it is open'])('%s', async (when) => {
    const auth = mesh.client.client(AuthService);
    if (when === 'when it is open') await auth.getAccount({ id: 'a' });
    await expect(auth.getAccount({ id: 'a' }, noHeaders)).rejects.toEqual(refusal);
    const answers = mesh.client.client(RunsService).run({}, noHeaders)[Symbol.asyncIterator]();
    await expect(answers.next()).rejects.toEqual(refusal);
  });
});
