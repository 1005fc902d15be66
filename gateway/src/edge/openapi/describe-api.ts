import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { hoistRecords } from './openapi-records.ts';
import { productVersion } from './product-version.ts';

const info = {
  title: 'Agent Mesh',
  description: 'Sessions, agent runs and accounts of the agent runtime.',
  // Version of the contract's description.
  version: '0.1.2',
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Collects the schemas of all routes for the OpenAPI document, which `app.swagger()` answers. Call it before the first route. */
export async function describeApi(app: FastifyInstance, serverUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [{ url: serverUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    // Routes that check credentials do it in preValidation, and no other route has one.
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, security: route.preValidation === undefined ? [] : [{ bearer: [] }] },
      url,
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const description = hoistRecords(document.openapiObject);
      // The plugin drops extensions of `info`.
      Object.assign(description.info ?? {}, { 'x-product-version': productVersion });
      return description;
    },
  });
}
