import fc from 'fast-check';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { expect, test } from 'vitest';
import { createSlashRedirect } from './slash-redirect.ts';

test('a redirect always leads to a path that this server serves', async () => {
  const app = fastify();
  const redirect = createSlashRedirect(app);
  app.setNotFoundHandler((request, reply) => {
    if (!redirect(request, reply)) reply.code(404).send();
  });
  for (const url of ['/api/users/', '/api/users/:id', '/:any', '/apps/:app/x/']) app.get(url, () => 'served');
  const segment = fc.stringMatching(/^[a-z0-9.%2fF:@-]{0,6}$/);
  const path = fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  await fc.assert(
    fc.asyncProperty(path, async (url) => {
      const answer = await app.inject({ method: 'GET', url });
      if (answer.statusCode !== 307) return;
      const location = String(answer.headers.location);
      expect(location).toMatch(/^\/(?!\/)/);
      expect(new URL(location, 'http://here.example').host).toBe('here.example');
      expect((await app.inject({ method: 'GET', url: location })).statusCode).not.toBe(307);
    }),
    { numRuns: 500 },
  );
  expect(redirectOf('/\\evil.example/')).toBe(false);
  expect(redirectOf('//evil.example/')).toBe(false);
  await app.close();

  function redirectOf(url: string): boolean {
    return redirect({ url } as FastifyRequest, {} as FastifyReply);
  }
});
