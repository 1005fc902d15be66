import swaggerUi from '@fastify/swagger-ui';
import type { App, Context } from '../context.ts';

/** `/openapi.json`, and with `GATEWAY_DOCS_ENABLED` its pages under `/docs`. */
export async function documentationRoutes(app: App, { config }: Context): Promise<void> {
  let description: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    description ??= JSON.stringify(app.swagger());
    return reply.type('application/json').send(description);
  });
  if (config.GATEWAY_DOCS_ENABLED) await addPages(app);
}

async function addPages(app: App): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // Over plain http, as on a laptop, an upgrade to https would fail.
    transformStaticCSP: (policy) => policy.replace(' upgrade-insecure-requests;', ''),
    logLevel: 'silent',
  });
}
