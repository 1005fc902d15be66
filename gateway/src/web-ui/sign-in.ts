import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import type { BrowserSession } from '../edge/authentication/browser/browser-session.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { faultOf, formPath, goTo, refuseForeignForm, sendForm, webUiPage } from './send-form.ts';
import { canSignUp, signUpPath } from './sign-up.ts';

const path = '/dev-ui/sign-in';

/** Path of the sign-in that leads on to `url`, a page of the UI. */
export function signInPath(url: string): string {
  return formPath(path, url.includes('?') ? url.slice(url.indexOf('?')) : '');
}

const Query = Type.Object({ next: Type.String({ default: '' }) }, { required: [] });
const Form = Type.Object({
  email: Type.String(),
  password: Type.String({ writeOnly: true }),
  next: Type.Optional(Type.String()),
});
/** The schema is that of a form; a JSON body is checked by the same fields. */
const SignInForm = Type.Unsafe<{ email: string; password: string; next?: string }>({ ...Form, 'x-form': Form });

/** Routes to sign in to the web UI and to sign out of it. */
export function signInRoutes(ui: App, context: Context, browser: BrowserSession): void {
  const { auth, signIn } = context;
  const hide = true;
  const sendPage = createSendPage(context);

  ui.get(path, { schema: { hide, querystring: Query } }, ({ query }, reply) => sendPage(reply, 200, query));

  ui.post(path, { schema: { hide, body: SignInForm } }, async (request, reply) => {
    refuseForeignForm(browser, request);
    const { email, password, next = '' } = request.body;
    try {
      const { accessToken } = await signIn({ email, password }, request, reply);
      reply.header('set-cookie', await browser.begin(accessToken));
    } catch (error) {
      const { status, fault } = faultOf(error);
      return sendPage(reply, status, { email, next, fault });
    }
    return goTo(reply, webUiPage(next));
  });

  ui.post('/dev-ui/sign-out', { schema: { hide } }, async (request, reply) => {
    refuseForeignForm(browser, request);
    reply.header('set-cookie', browser.end());
    if (browser.isPresent(request)) await endSignIn(auth, await whoIs(browser, request));
    return goTo(reply, path);
  });
}

interface Shown {
  /** Address that was typed before. */
  readonly email?: string;
  readonly next: string;
  readonly fault?: string;
}

function createSendPage({ config }: Context) {
  return (reply: FastifyReply, status: number, { email = '', next, fault }: Shown): FastifyReply =>
    sendForm(reply, status, {
      title: 'Sign in',
      action: path,
      next,
      fields: [
        { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email },
        { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
      ],
      submit: 'Sign in',
      fault,
      link: canSignUp(config) ? { href: formPath(signUpPath, next), text: 'Create an account' } : undefined,
    });
}

/** Identity of the cookie; undefined when it has expired or was ended. */
async function whoIs(browser: BrowserSession, request: FastifyRequest): Promise<Identity | undefined> {
  try {
    return await browser.identify(request);
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

/** Ends the sign-in of an identity; it may have ended already. */
async function endSignIn(auth: Context['auth'], identity: Identity | undefined): Promise<void> {
  if (identity?.signInId === undefined) return;
  const { accountId, signInId: id } = identity;
  await auth.endSignIn({ accountId, id }, unary).catch((error: unknown) => {
    if (!(error instanceof MeshError) || error.code !== 'not_found') throw error;
  });
}
