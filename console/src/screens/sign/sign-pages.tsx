import { mesh } from '../../data/client.ts';
import { hasEnded, session, signIn } from '../../data/session.ts';
import { Button } from '../../kit/button.tsx';
import { Field, Form } from '../../kit/field.tsx';
import { useTitle } from '../../kit/page.tsx';
import { say } from '../../kit/toasts.tsx';
import { base, go, path, query } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Erased } from './erased.tsx';
import { SignFrame } from './sign-frame.tsx';

/** The pages for those who are not signed in. A page that was asked for stays in the address, and is shown after the sign-in. */
export function SignPages() {
  if (path.value === '/sign-up') return <SignUp />;
  if (path.value === '/forgot') return <Forgot />;
  if (path.value === '/auth/reset-password') return <Reset />;
  if (path.value === '/auth/verify-email') return <Verify />;
  if (path.value === '/erased') return <Erased />;
  return <SignIn />;
}

function SignIn() {
  const doors = session.value;
  useTitle(t.sign.in);
  return (
    <SignFrame title={t.sign.in} lead={t.sign.inLead} links={doors?.sign_up ? [['/sign-up', t.sign.up]] : []}>
      {hasEnded.value && (
        <p class="warn toned" role="alert">
          {t.sign.ended}
        </p>
      )}
      {doors?.sign_in ? (
        <Form submit={t.sign.in} onSubmit={({ email = '', password = '' }) => signIn(email, password)}>
          <Email />
          <Field label={t.sign.password} name="password" type="password" autocomplete="current-password" isRequired />
          <a class="small" href={`${base}/forgot`}>
            {t.sign.forgot}
          </a>
        </Form>
      ) : (
        <p class="muted">{t.sign.off}</p>
      )}
    </SignFrame>
  );
}

function SignUp() {
  useTitle(t.sign.up);
  const create = async (values: Readonly<Record<string, string>>) => {
    const { email = '', password = '', first_name = '', last_name = '' } = values;
    await mesh.account.signUp({ email, password, first_name, last_name });
    await signIn(email, password).catch((error: unknown) => {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'email_not_verified') throw error;
      say(t.sign.check);
    });
    go('/', { replaces: true });
  };
  return (
    <SignFrame title={t.sign.up} lead={t.sign.upLead} links={[['/', t.sign.haveAccount]]}>
      <Form submit={t.sign.up} onSubmit={create}>
        <div class="pair">
          <Field label={t.sign.first} name="first_name" autocomplete="given-name" isRequired />
          <Field label={t.sign.last} name="last_name" autocomplete="family-name" isRequired />
        </div>
        <Email />
        <NewPassword label={t.sign.password} name="password" />
      </Form>
    </SignFrame>
  );
}

function Forgot() {
  useTitle(t.sign.forgotTitle);
  const send = async ({ email = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await mesh.request({ method: 'POST', path: '/api/auth/forgot-password', body: { email } });
    say(t.sign.sent);
    go('/');
  };
  return (
    <SignFrame title={t.sign.forgotTitle} lead={t.sign.forgotLead} links={[['/', t.sign.haveAccount]]}>
      <Form submit={t.sign.sendLink} onSubmit={send}>
        <Email />
      </Form>
    </SignFrame>
  );
}

function Reset() {
  useTitle(t.sign.reset);
  const token = query.value.get('token') ?? '';
  const reset = async ({ new_password = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await mesh.request({ method: 'POST', path: '/api/auth/reset-password', body: { token, new_password } });
    say(t.sign.wasReset);
    go('/', { replaces: true });
  };
  return (
    <SignFrame title={t.sign.reset} links={[['/', t.sign.haveAccount]]}>
      <Form submit={t.sign.setPassword} onSubmit={reset}>
        <NewPassword label={t.sign.newPassword} name="new_password" />
      </Form>
    </SignFrame>
  );
}

/** A button confirms, because programs that look at mails open their links too. */
function Verify() {
  useTitle(t.sign.verify);
  const token = query.value.get('token') ?? '';
  const verify = async (): Promise<void> => {
    await mesh.request({ method: 'POST', path: '/api/auth/verify-email', body: { token } });
    say(t.sign.verified);
    go('/', { replaces: true });
  };
  return (
    <SignFrame title={t.sign.verify} links={[['/', t.sign.haveAccount]]}>
      <div class="form">
        <p class="muted">{t.sign.verifyText}</p>
        <div class="actions">
          <Button kind="first" onPress={verify}>
            {t.sign.verifyAction}
          </Button>
        </div>
      </div>
    </SignFrame>
  );
}

function Email() {
  return <Field label={t.sign.email} name="email" type="email" autocomplete="username" isRequired />;
}

function NewPassword({ label, name }: { readonly label: string; readonly name: string }) {
  const shape = { autocomplete: 'new-password', hint: t.sign.passwordHint };
  return <Field label={label} name={name} type="password" {...shape} isRequired />;
}
