import type { App } from '../http/app.ts';
import { validatorCompiler } from '../http/validator.ts';

/**
 * Adds routes whose handlers read the body themselves: it flows from the socket to the service and is checked on the way. So
 * credentials are checked before the body here. Declare these routes with `config: { flows: true }`.
 */
export async function withFlowingBodies(app: App, addRoutes: (scope: App) => void): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setValidatorCompiler((part) => (part.httpPart === 'body' ? () => true : validatorCompiler(part)));
    addRoutes(scope);
  });
}
