import { MeshError } from '@agentmesh/lib/rpc';
import { describe, expect, it } from 'vitest';
import { type Answer, type Edge, startEdge, token } from '../edge.ts';

const auth = { signUp: () => ({}), signIn: async () => ({ accessToken: await token({}) }) };
const env = { ADK_WEB_UI: 'true' };

function submit(own: Edge, fields: Record<string, string>, origin = own.url): Promise<Answer> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: null, origin };
  return own.send('/dev-ui/sign-up', {
    text: new URLSearchParams(fields).toString(),
    headers: form,
    redirect: 'manual',
  });
}

describe('the sign-up of the web UI', () => {
  const account = { email: ' new@example.com ', password: 'right', first_name: 'Ada', last_name: '<b>' };

  it('creates an account, signs it in and redirects to the requested page', async () => {
    const made: unknown[] = [];
    const signUp = ({ email, firstName }: { email: string; firstName: string }) => {
      made.push([email, firstName]);
      return {};
    };
    await using own = await startEdge({ auth: { ...auth, signUp }, env });
    const answer = await submit(own, { ...account, next: '?app=shop' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dev-ui/?app=shop']);
    expect(answer.headers.get('set-cookie')).toContain('HttpOnly');
    expect(made).toEqual([['new@example.com', 'Ada']]);
  });

  it('shows the form again with the mistakes, and never with the password', async () => {
    const taken = () => {
      throw new MeshError('already_exists', 'email_taken', 'Email already registered');
    };
    await using own = await startEdge({ auth: { ...auth, signUp: taken }, env });
    const { status, text: page } = await submit(own, account);
    expect(status).toBe(409);
    expect(page).toContain('Email already registered');
    expect(page).toContain('value="new@example.com"');
    expect(page).toContain('value="&lt;b&gt;"');
    expect(page).not.toContain('right');
  });

  it('says that the address must be verified first where that is required', async () => {
    const signIn = () => {
      throw new MeshError('permission_denied', 'email_not_verified', 'email_not_verified');
    };
    await using own = await startEdge({ auth: { ...auth, signIn }, env });
    const { status, text: page } = await submit(own, account);
    expect([status, page.includes('Open the link in the mail')]).toEqual([403, true]);
  });

  it('creates no account without a password', async () => {
    let isMade = false;
    const signUp = () => {
      isMade = true;
      return {};
    };
    await using own = await startEdge({ auth: { ...auth, signUp }, env });
    const { status, text: page } = await submit(own, { ...account, password: '' });
    expect([status, page.includes('Choose a password.'), isMade]).toEqual([422, true, false]);
  });

  it('refuses the form of another origin', async () => {
    await using own = await startEdge({ auth, env });
    expect((await submit(own, account, 'https://evil.example')).status).toBe(403);
  });

  it('is not there where registration is off', async () => {
    await using off = await startEdge({ env: { ...env, AUTH_REGISTER_ENABLED: 'false' } });
    await using on = await startEdge({ env });
    const link = 'href="/dev-ui/sign-up?next=%3Fapp%3Dshop"';
    expect((await off.send('/dev-ui/sign-up')).status).toBe(404);
    expect((await off.send('/dev-ui/sign-in?next=%3Fapp%3Dshop')).text).not.toContain(link);
    expect((await on.send('/dev-ui/sign-in?next=%3Fapp%3Dshop')).text).toContain(link);
  });
});
