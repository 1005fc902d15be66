import type { User } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { useDraft } from '../../data/drafts.ts';
import { asOwner } from '../../data/as-owner.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { session, signOut } from '../../data/session.ts';
import { Field, Form } from '../../kit/field.tsx';
import { Facts, Page, Tabs } from '../../kit/page.tsx';
import { When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toasts.tsx';
import { base, choiceOf, go } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Audit } from './audit.tsx';
import { Export } from './export.tsx';
import { SignIns } from './sign-ins.tsx';
import { Tokens } from './tokens.tsx';

const tabs = ['profile', 'tokens', 'signIns', 'audit', 'data'] as const;

/** The account that is signed in. */
export function Account() {
  const here = choiceOf('tab', tabs);
  const links = tabs.map((tab) => ({
    href: `${base}/account${tab === 'profile' ? '' : `?tab=${tab}`}`,
    text: t.account[tab],
    isHere: tab === here,
  }));
  return (
    <Page title={t.nav.account} lead={t.account.lead}>
      <Tabs tabs={links} />
      {here === 'profile' && <Profile />}
      {here === 'tokens' && <Tokens />}
      {here === 'signIns' && <SignIns />}
      {here === 'audit' && <Audit />}
      {here === 'data' && <Export />}
      {here === 'data' && <Deletion />}
    </Page>
  );
}

function Profile() {
  const known = useQuery('account', () => mesh.account.me());
  return (
    <When known={known} retry={() => invalidate('account')}>
      {(user) => (
        <>
          <Facts
            facts={[
              [
                t.account.email,
                <span key="email" class="broad">
                  {user.email}
                </span>,
              ],
              [t.account.role, user.role.toLowerCase()],
              [t.account.since, <Time key="since" at={user.created_at} />],
            ]}
          />
          <Names user={user} />
        </>
      )}
    </When>
  );
}

function Names({ user }: { readonly user: User }) {
  const { base: shown, draft, formKey } = useDraft('account:names', user);
  return (
    <section class="card pad">
      <Form key={formKey} submit={t.actions.save} draft={draft} onSubmit={(values) => rename(user, values)}>
        <div class="pair">
          <Field label={t.account.firstName} name="first_name" value={shown.first_name ?? ''} />
          <Field label={t.account.lastName} name="last_name" value={shown.last_name ?? ''} />
        </div>
      </Form>
    </section>
  );
}

async function rename(user: User, values: Readonly<Record<string, string>>): Promise<void> {
  const { first_name = '', last_name = '' } = values;
  await mesh.account.update(user.user_id, { first_name, last_name });
  await invalidate('account');
  say(t.account.saved);
}

function Deletion() {
  const remove = async ({ password = '' }: Readonly<Record<string, string>>): Promise<void> => {
    const email = session.peek()?.email ?? '';
    // The id comes from the same sign-in as the deletion: the cookie may be of another account by now.
    const receipt = await asOwner({ email, password }, async ({ account }) =>
      account.delete((await account.me()).user_id),
    );
    await signOut();
    go(`/erased?receipt=${receipt}`, { replaces: true });
  };
  return (
    <section class="card pad stack">
      <h2>{t.account.delete}</h2>
      <p class="muted">{t.account.deleteLead}</p>
      <Form submit={t.account.delete} isFinal onSubmit={remove}>
        <Field
          label={t.account.password}
          name="password"
          type="password"
          autocomplete="current-password"
          hint={t.account.deleteSure}
          isRequired
        />
      </Form>
    </section>
  );
}
