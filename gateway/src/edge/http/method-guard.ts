import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'] as const;

/** Collects the methods of every path; the answered function closes all the others with 405. Call it after the last route. */
export function createMethodGuard(app: FastifyInstance): () => void {
  const served = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    // Other methods at such a path are those of the greedy route beside it.
    if (config?.greedyAfter !== undefined && !url.endsWith('*')) return;
    const known = served.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one.toUpperCase());
    served.set(url, known);
  });
  return () => {
    for (const [url, known] of Array.from(served)) closeOthers(app, url, known);
  };
}

function closeOthers(app: FastifyInstance, url: string, known: ReadonlySet<string>): void {
  const allow = [...known].toSorted().join(', ');
  const others: HTTPMethods[] = methods.filter((method) => !known.has(method));
  if (others.length === 0) return;
  const refuse = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.code(405).header('allow', allow).send({ detail: 'Method Not Allowed' });
  };
  // In onRequest, because the method is judged before the body.
  app.route({ method: others, url, schema: { hide: true }, onRequest: refuse, handler: refuse });
}
