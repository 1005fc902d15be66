import type { App } from '../../context.ts';
import { validatorCompiler } from './validator.ts';

/**
 * Adds routes whose bodies are not read before their handlers do: they flow from the socket to the service, and are checked as they
 * flow. So the token is checked before the body here. The routes have `config: { flows: true }`.
 */
export async function withFlowingBodies(app: App, addRoutes: (scope: App) => void): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setValidatorCompiler((part) => (part.httpPart === 'body' ? () => true : validatorCompiler(part)));
    addRoutes(scope);
  });
}
