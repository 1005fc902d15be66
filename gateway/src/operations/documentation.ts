import swaggerUi from '@fastify/swagger-ui';
import type { App, Context } from '../context.ts';

/** `/openapi.json`, and its pages under `/docs` with `GATEWAY_DOCS_ENABLED`. */
export async function documentationRoutes(app: App, { config }: Context): Promise<void> {
  let description: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    description ??= JSON.stringify(app.swagger());
    return reply.type('application/json').send(description);
  });
  if (config.GATEWAY_DOCS_ENABLED) await addPages(app);
}

/** Swagger UI, with requests that can be sent from the page. Its scripts and styles come from this server alone. */
async function addPages(app: App): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Agent Mesh API', css: [{ filename: 'own.css', content: styles }] },
    uiConfig: {
      // Without the bar of the framework on top.
      layout: 'BaseLayout',
      // With all sections open, the page would show only the operations within the window, and a browser's search would miss the others.
      docExpansion: 'none',
      deepLinking: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
    // Requests of the page go to the server that it was loaded from, whatever name that has in the browser.
    transformSpecification: (document) => ({ ...document, servers: [{ url: '/' }] }),
    staticCSP: policy,
    logLevel: 'silent',
  });
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Hides what an OAuth2 client would fill in: accounts sign in with e-mail and password alone. */
const styles = `
.swagger-ui .auth-container .scope-def,
.swagger-ui .auth-container .wrapper:has(> label:is([for^='client_'], [for='password_type'])) { display: none; }
`;
