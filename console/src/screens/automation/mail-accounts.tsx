import type { Integration } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { When } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { base } from '../../shell/router.ts';
import { t } from '../../texts.ts';

export type MailProvider = 'microsoft' | 'google';

const providers = ['microsoft', 'google'] as const;

/** The address to which a provider sends the browser after the consent. It has to be registered there. */
export const consentAddress = (provider: MailProvider): string => `${location.origin}${base}/connected/${provider}`;

export const useMailAccounts = () => useQuery('mail?accounts', () => mesh.integrations.list());

/** Mail accounts that are connected, and the ways to connect others. */
export function MailAccounts() {
  const known = useMailAccounts();
  const [sure, ask] = useSure();
  const disconnect = ({ provider }: Integration): void =>
    ask(t.mail.disconnect, t.mail.disconnectText, t.mail.disconnectVerb, async () => {
      await mesh.integrations.disconnect(provider);
      await invalidate('mail?');
    });
  return (
    <section class="stack tight">
      <h2>{t.mail.accounts}</h2>
      <When known={known} retry={() => invalidate('mail?accounts')}>
        {(accounts) => (
          <>
            {accounts.length > 0 && (
              <ul class="card lines">
                {accounts.map((account) => (
                  <li key={account.id} class="row">
                    <span class="grow">{account.username}</span>
                    <Badge tone={account.token_status === 'active' ? 'good' : 'warn'}>
                      {account.token_status === 'active' ? t.mail.connected : t.mail.again}
                    </Badge>
                    <Button isTiny onPress={() => disconnect(account)}>
                      {t.mail.disconnectVerb}
                    </Button>
                  </li>
                ))}
              </ul>
            )}
            <div class="row">
              {providers.map((provider) => (
                <Button key={provider} icon="mail" onPress={() => connect(provider)}>
                  {t.mail.connect[provider]}
                </Button>
              ))}
            </div>
          </>
        )}
      </When>
      {sure}
    </section>
  );
}

/** Leads to the page of the provider on which a person gives consent. */
async function connect(provider: MailProvider): Promise<void> {
  const { url } = await mesh.integrations.connect(provider, { redirect_uri: consentAddress(provider) });
  location.assign(url);
}
