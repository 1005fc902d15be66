import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import type { BrowserSession } from '../edge/authentication/browser-session.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { problemOf } from '../edge/errors/problem.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { signInPage } from './sign-in-page.ts';

const path = '/dev-ui/sign-in';
const pagePolicy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Where somebody signs in who wanted to see `url`, a page of the UI. */
export function signInPath(url: string): string {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return query === '' ? path : `${path}?${new URLSearchParams({ next: query }).toString()}`;
}

const Query = Type.Object({ next: Type.String({ default: '' }) }, { required: [] });
const Form = Type.Object({
  email: Type.String(),
  password: Type.String({ writeOnly: true }),
  next: Type.Optional(Type.String()),
});
/** Its schema describes a form only: what arrives as JSON is checked alike. */
const SignInForm = Type.Unsafe<{ email: string; password: string; next?: string }>({ ...Form, 'x-form': Form });

/** Signing in to the web UI and out of it, without a script. */
export function signInRoutes(ui: App, { auth, signIn }: Context, browser: BrowserSession): void {
  const hide = true;

  ui.get(path, { schema: { hide, querystring: Query } }, ({ query }, reply) =>
    sendPage(reply, 200, { next: query.next }),
  );

  ui.post(path, { schema: { hide, body: SignInForm } }, async (request, reply) => {
    if (!browser.isOwnForm(request)) throw foreignForm();
    const { email, password, next = '' } = request.body;
    try {
      const { accessToken } = await signIn({ email, password }, request, reply);
      reply.header('set-cookie', await browser.begin(accessToken));
    } catch (error) {
      const problem = error instanceof MeshError ? problemOf(error) : undefined;
      if (!(error instanceof MeshError) || problem === undefined) throw error;
      return sendPage(reply, problem.status, { email, next, fault: error.message });
    }
    return leave(reply, next === '' ? '/dev-ui/' : `/dev-ui/?${new URLSearchParams(next).toString()}`);
  });

  ui.post('/dev-ui/sign-out', { schema: { hide } }, async (request, reply) => {
    if (!browser.isOwnForm(request)) throw foreignForm();
    reply.header('set-cookie', browser.end());
    if (browser.isPresent(request)) await endSignIn(auth, await whoIs(browser, request));
    return leave(reply, path);
  });
}

/** Undefined for a cookie that is good no longer. */
async function whoIs(browser: BrowserSession, request: FastifyRequest): Promise<Identity | undefined> {
  try {
    return await browser.identify(request);
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

/** What has ended already is no error. */
async function endSignIn(auth: Context['auth'], identity: Identity | undefined): Promise<void> {
  if (identity?.signInId === undefined) return;
  const { accountId, signInId: id } = identity;
  await auth.endSignIn({ accountId, id }, unary).catch((error: unknown) => {
    if (!(error instanceof MeshError) || error.code !== 'not_found') throw error;
  });
}

const foreignForm = () => new HttpError(403, 'Forbidden: the form is not of this origin');

function leave(reply: FastifyReply, to: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(to, 303);
}

interface Shown {
  readonly email?: string;
  readonly next: string;
  readonly fault?: string;
}

function sendPage(reply: FastifyReply, status: number, shown: Shown): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-security-policy': pagePolicy, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(signInPage(shown));
}
