import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type Config, cookiesAreSecure } from '../config.ts';
import { type App, type Context, unary } from '../context.ts';
import type { BrowserSession } from '../edge/authentication/browser/browser-session.ts';
import { writeSignUpCookie } from '../edge/authentication/browser/sign-up-cookie.ts';
import { faultOf, formPath, goTo, refuseForeignForm, sendForm, webUiPage } from './send-form.ts';

export const signUpPath = '/dev-ui/sign-up';

/** Whether visitors can create accounts. */
export function canSignUp({ AUTH_BASIC_ENABLED: basic, AUTH_REGISTER_ENABLED: register }: Config): boolean {
  return basic && register;
}

interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly next?: string;
}

const Query = Type.Object({ next: Type.String({ default: '' }) }, { required: [] });
const Form = Type.Object({
  email: Type.String(),
  password: Type.String({ writeOnly: true }),
  first_name: Type.String(),
  last_name: Type.String(),
  next: Type.Optional(Type.String()),
});
/** The schema is that of a form; a JSON body is checked by the same fields. */
const SignUpForm = Type.Unsafe<SignUp>({ ...Form, 'x-form': Form });

/** Routes to create an account, which is signed in at once unless its address has to be verified first. */
export function signUpRoutes(ui: App, { config, auth, limitSignUp, signIn }: Context, browser: BrowserSession): void {
  if (!canSignUp(config)) return;
  const hide = true;

  ui.get(signUpPath, { schema: { hide, querystring: Query } }, ({ query }, reply) =>
    sendPage(reply, 200, { next: query.next }),
  );

  ui.post(signUpPath, { schema: { hide, body: SignUpForm } }, async (request, reply) => {
    refuseForeignForm(browser, request);
    const { password, next = '', ...typed } = request.body;
    const email = typed.email.trim();
    // The API can create accounts without a password, which a reset mail opens later. The form always needs one.
    if (password === '') return sendPage(reply, 422, { ...typed, email, next, fault: 'Choose a password.' });
    try {
      const names = { firstName: typed.first_name, lastName: typed.last_name };
      await limitSignUp(request, reply);
      const { proof } = await auth.signUp({ email, password, ...names }, unary);
      writeSignUpCookie(reply, proof, cookiesAreSecure(config));
      const { accessToken } = await signIn({ email, password }, request, reply);
      reply.header('set-cookie', await browser.begin(accessToken));
    } catch (error) {
      const { status, fault } = faultOf(error);
      return sendPage(reply, status, { ...typed, email, next, fault });
    }
    return goTo(reply, webUiPage(next));
  });
}

interface Shown extends Partial<Omit<SignUp, 'password'>> {
  readonly next: string;
  readonly fault?: string;
}

function sendPage(reply: FastifyReply, status: number, shown: Shown): FastifyReply {
  const { email = '', first_name: firstName = '', last_name: lastName = '', next, fault } = shown;
  return sendForm(reply, status, {
    title: 'Create an account',
    action: signUpPath,
    next,
    fields: [
      { name: 'first_name', label: 'First name', type: 'text', autocomplete: 'given-name', value: firstName },
      { name: 'last_name', label: 'Last name', type: 'text', autocomplete: 'family-name', value: lastName },
      { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email },
      { name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', minLength: 8 },
    ],
    submit: 'Create account',
    fault,
    link: { href: formPath('/dev-ui/sign-in', next), text: 'Sign in instead' },
  });
}
