import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge[Symbol.asyncDispose]());

it('every route with a JSON body answers a broken one with 422 and a code', async () => {
  const { paths } = (await edge.send('/openapi.json')).body as Description;
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.requestBody?.content['application/json'] !== undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '1') })),
  );
  const refused = [];
  for (const { method, path } of routes) {
    const answer = await edge.send(path, { method, text: '{"a":', headers: { 'content-type': 'application/json' } });
    if (answer.status === 422) refused.push({ method, path, ...(answer.body as object) });
  }
  expect(refused.length).toBeGreaterThan(30);
  expect(refused.filter((body) => !('code' in body) || body.code !== 'request_invalid')).toEqual([]);
});
