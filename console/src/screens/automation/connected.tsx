import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { invalidate } from '../../data/query.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { Failure, Skeleton } from '../../kit/states.tsx';
import { say } from '../../kit/toasts.tsx';
import { base, go, type Params, query } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { consentAddress, type MailProvider } from './mail-accounts.tsx';

const mailTab = '/automation?tab=mail';

/** The page to which a mail provider leads after the consent. It hands the code on and goes back to the mail. */
export function Connected({ params }: { readonly params: Params }) {
  const fault = useSignal<Error | undefined>(undefined);
  useEffect(() => {
    finish(params['provider'] === 'google' ? 'google' : 'microsoft').catch((error: unknown) => {
      fault.value = error instanceof Error ? error : new Error(String(error));
    });
  }, []);
  if (fault.value === undefined) return <Skeleton lines={2} />;
  return (
    <Page title={t.mail.accounts}>
      <Failure error={fault.value} title={t.mail.notConnected}>
        <LinkButton href={base + mailTab}>{t.mail.back}</LinkButton>
      </Failure>
    </Page>
  );
}

async function finish(provider: MailProvider): Promise<void> {
  const { code, state, error, error_description: why } = Object.fromEntries(query.peek());
  if (code === undefined || state === undefined) throw new Error(why ?? error ?? t.mail.noConsent);
  const body = { code, state, redirect_uri: consentAddress(provider) };
  const { username } =
    provider === 'google'
      ? await mesh.call('POST', '/api/integrations/google/callback', { body })
      : await mesh.call('POST', '/api/integrations/microsoft/outlook/callback', { body });
  await invalidate('mail?');
  say(`${username} ${t.mail.connected.toLowerCase()}`);
  go(mailTab, { replaces: true });
}
