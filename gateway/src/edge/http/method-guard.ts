import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path is also one of another route, as `/a/:id::cancel` is of `/a/:id`, which answers the other methods. */
    yieldsMethods?: boolean;
    /** The route answers 405 to the methods that its path does not have. */
    refusesMethods?: true;
  }
}

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'] as const;
const methodsOfRoutes: ReadonlySet<string> = new Set(methods);

/** Answers what no route takes: 405 for a method that no route has, e.g. PROPFIND, else 404. */
export function answerUnrouted({ method }: FastifyRequest, reply: FastifyReply): void {
  if (methodsOfRoutes.has(method)) reply.code(404).send({ detail: 'Not Found' });
  else reply.code(405).send({ detail: 'Method Not Allowed' });
}

/** Learns the methods of every path. Call the returned function after the last route: it answers all other methods with 405. */
export function createMethodGuard(app: FastifyInstance): () => void {
  const served = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.yieldsMethods === true) return;
    // The greedy route beside this path answers other methods.
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
  // In onRequest, because the method is checked before the body is read.
  const config = { refusesMethods: true } as const;
  app.route({ method: others, url, config, schema: { hide: true }, onRequest: refuse, handler: refuse });
}
