import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import type { BrowserSession } from '../edge/authentication/browser/browser-session.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { HttpError } from '../edge/errors/request-error.ts';

const path = '/console/session';
const hide = true;
const Credentials = Type.Object({ email: Type.String(), password: Type.String({ writeOnly: true }) });

/** The browser's sign-in: who it is, sign in, sign out. Cookies are set for pages of this origin only. */
export function sessionRoutes(app: App, context: Context, browser: BrowserSession): void {
  const { auth, config, signIn } = context;
  const doors = {
    sign_in: config.AUTH_BASIC_ENABLED,
    sign_up: config.AUTH_BASIC_ENABLED && config.AUTH_REGISTER_ENABLED,
  };

  app.get(path, { schema: { hide } }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const identity = await identityOf(browser, request);
    return identity === undefined ? { ...doors } : { ...doors, email: identity.email, role: identity.role };
  });

  if (config.AUTH_BASIC_ENABLED) {
    app.post(path, { schema: { hide, body: Credentials } }, async (request, reply) => {
      refuseForeign(browser, request);
      reply.header('cache-control', 'no-store');
      const { accessToken } = await signIn(request.body, request, reply);
      reply.header('set-cookie', await browser.begin(accessToken));
      return { ...doors, email: request.body.email.trim().toLowerCase() };
    });
  }

  app.delete(path, { schema: { hide } }, async (request, reply) => {
    refuseForeign(browser, request);
    reply.headers({ 'set-cookie': browser.end(), 'cache-control': 'no-store' });
    const identity = await identityOf(browser, request);
    if (identity?.signInId !== undefined) await endSignIn(auth, identity.accountId, identity.signInId);
    return { ...doors };
  });
}

function refuseForeign(browser: BrowserSession, request: FastifyRequest): void {
  if (!browser.isOwnForm(request)) throw new HttpError(403, 'Forbidden: cookies need a page of this origin');
}

/** Identity of the cookie; undefined without one, and when it has expired or was ended. */
async function identityOf(browser: BrowserSession, request: FastifyRequest): Promise<Identity | undefined> {
  if (!browser.isPresent(request)) return undefined;
  try {
    return await browser.identify(request);
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

/** Ends a sign-in, which may have ended already. */
async function endSignIn(auth: Context['auth'], accountId: string, id: string): Promise<void> {
  await auth.endSignIn({ accountId, id }, unary).catch((error: unknown) => {
    if (!(error instanceof MeshError) || error.code !== 'not_found') throw error;
  });
}
