import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { hoistRecords } from './openapi-records.ts';
import { productVersion } from './product-version.ts';

const info = {
  title: 'Agent Mesh',
  description: [
    `Self-hosted agent server, compatible with ADK. Version ${productVersion}; the number beside the title is the version of the contract.`,
    'To try it: create an account with `POST /api/users/`, then sign in with its e-mail address and password by the button Authorize.',
    'The examples work as they stand, with the app `echo`, which needs no model key.',
  ].join('\n\n'),
  // Version of the contract's description.
  version: '0.1.2',
  license: { name: 'MIT', identifier: 'MIT' },
};

/** A section of the document. Its operations have its name as their tag. */
export interface Section {
  readonly name: string;
  readonly description: string;
}

/** Collects the schemas of all routes for the OpenAPI document, which `app.swagger()` answers. Call it before the first route. */
export async function describeApi(
  app: FastifyInstance,
  { serverUrl, sections }: { serverUrl: string; sections: readonly Section[] },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [{ url: serverUrl }],
      tags: [...sections],
      components: { securitySchemes },
    },
    // Routes that check credentials do it in preValidation, and no other route has one.
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, security: route.preValidation === undefined ? [] : credentials },
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

/** Either of the two opens a route. The first lets the documentation page sign in by itself. */
const credentials = [{ password: [] }, { bearer: [] }];

const securitySchemes = {
  password: {
    type: 'oauth2',
    description: 'Sign in with e-mail (as `username`) and password.',
    // Relative to the server, so that the page signs in where it was loaded from.
    flows: { password: { tokenUrl: '/api/auth/token', scopes: {} } },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of `POST /api/auth/token`, or a personal token of `POST /api/auth/tokens`.',
  },
} as const;
