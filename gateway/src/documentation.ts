import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { App } from './context.ts';
import { hoistRecords } from './openapi-records.ts';

const info = {
  title: 'Agent Mesh',
  description: 'Sessions, agent runs and accounts of the agent runtime.',
  // The version of the contract's description, not of this service.
  version: '0.1.2',
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Serves `/openapi.json`, made from the schemas that validate. Register it before the routes. */
export async function describeApi(app: App, serverUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [{ url: serverUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    // What runs a check of the token before validation needs a token.
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, security: route.preValidation === undefined ? [] : [{ bearer: [] }] },
      url,
    }),
    transformObject: (document) =>
      'openapiObject' in document ? hoistRecords(document.openapiObject) : document.swaggerObject,
  });
  let description: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    description ??= JSON.stringify(app.swagger());
    return reply.type('application/json').send(description);
  });
}

/** Serves `/docs`, the pages of what `describeApi` serves. */
export async function showApi(app: App): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // Served over plain http on a laptop, where an upgrade finds nobody.
    transformStaticCSP: (policy) => policy.replace(' upgrade-insecure-requests;', ''),
    logLevel: 'silent',
  });
}
