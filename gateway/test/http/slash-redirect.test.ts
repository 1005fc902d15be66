import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge[Symbol.asyncDispose]());

const ask = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
  const response = await fetch(edge.url + path, { method, redirect: 'manual', headers });
  return [response.status, response.headers.get('location')];
};

describe('a slash too many or too few at the end of a path', () => {
  it.each([
    ['/api/users', 'GET', '/api/users/'],
    ['/api/users', 'POST', '/api/users/'],
    ['/api/users?page=2&size=5', 'GET', '/api/users/?page=2&size=5'],
    ['/api/users/me/', 'GET', '/api/users/me'],
    ['/api/auth/token/', 'POST', '/api/auth/token'],
    ['/apps/a/users/u/sessions/', 'POST', '/apps/a/users/u/sessions'],
    ['/apps/a/users/u/sessions/s%20%C3%A9/', 'GET', '/apps/a/users/u/sessions/s%20%C3%A9'],
    ['/health/', 'DELETE', '/health'],
    ['/api/agents/', 'DELETE', '/api/agents'],
    ['/api/auth/tokens/t/', 'DELETE', '/api/auth/tokens/t'],
    ['/api/auth/tokens/', 'GET', '/api/auth/tokens'],
    ['/apps/a/users/u/memory/', 'PATCH', '/apps/a/users/u/memory'],
    ['/apps/a/users/u/sessions/s/', 'DELETE', '/apps/a/users/u/sessions/s'],
  ])('%s by %s is answered 307 to %s, before a token is asked for', async (path, method, location) => {
    expect(await ask(path, method)).toEqual([307, location]);
  });

  it.each(['/api/auth/tokens/', '/api/auth/sessions/?tokens=true', '/apps/a/users/u/memory/'])(
    'DELETE %s names one entry by an empty id, and is not led to the route that deletes all',
    async (path) => {
      expect(await ask(path, 'DELETE')).toEqual([404, null]);
    },
  );

  it('redirects only to this server, whatever Host says', async () => {
    const [, location] = await ask('/api/users', 'GET', { 'x-forwarded-host': 'evil.example' });
    expect(location).toBe('/api/users/');
    for (const path of ['//evil.example/', '/\\evil.example/', '//api/users', '/api/auth/mfa/enroll/', '/nowhere/']) {
      expect(await ask(path)).toEqual([404, null]);
    }
  });

  it('is not redirected if the path contains an encoded slash', async () => {
    expect(await ask('/apps/a%2Fb/users/u/sessions/')).toEqual([404, null]);
  });
});
