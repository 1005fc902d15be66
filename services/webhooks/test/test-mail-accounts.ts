import type { FakeGoogle } from '../../../test/fakes/google/index.ts';
import type { FakeMicrosoft } from '../../../test/fakes/microsoft/index.ts';
import type { VirtualClock } from '../../../test/fakes/upstream/index.ts';
import type { EndingMailAccount, MailAccounts } from '../src/mail/provider/mail-accounts.ts';
import type { MailAccount, Provider } from '../src/provider.ts';
import { ProviderError } from '../src/mail/provider/provider-error.ts';

/** Stands in for the service that holds connected mail accounts, with tokens that the fake providers accept. */
export interface TestMailAccounts extends MailAccounts {
  /** Connects a mailbox; the same one again, or another one, which disconnects the former. */
  connect(accountId: string, provider: Provider, address: string): void;
  /** The mail account gets another address, which the fake then knows too. */
  rename(accountId: string, provider: Provider, address: string): void;
  /** The owner has to connect the mailbox again. */
  expire(accountId: string, provider: Provider): void;
  disconnect(accountId: string, provider: Provider): void;
  /** Number of fresh tokens. */
  fresh: number;
}

interface Connection {
  readonly id: bigint;
  readonly accountId: string;
  readonly provider: Provider;
  address: string;
  state: 'connected' | 'expired' | 'ending' | 'ended';
  token: { readonly text: string; readonly until: number } | undefined;
}

export interface TestMailAccountParts {
  readonly clock: VirtualClock;
  readonly microsoft: FakeMicrosoft;
  readonly google: FakeGoogle;
}

const tokenMs = 50 * 60_000;

export function createTestMailAccounts({ clock, microsoft, google }: TestMailAccountParts): TestMailAccounts {
  const connections: Connection[] = [];
  const current = (accountId: string, provider: Provider): Connection | undefined =>
    connections.find(
      (it) => it.accountId === accountId && it.provider === provider && ['connected', 'expired'].includes(it.state),
    );
  const find = (provider: Provider, { accountId, integrationId }: MailAccount): Connection => {
    const named = connections.find(({ id, state }) => id === integrationId && state !== 'ended');
    const found = integrationId === undefined ? current(accountId, provider) : named;
    if (found === undefined) throw new ProviderError({ kind: 'disconnected' });
    return found;
  };
  const grant = ({ provider, address }: Connection): string => {
    const { world, scopes } =
      provider === 'microsoft'
        ? { world: microsoft.world, scopes: ['Mail.Read', 'User.Read'] }
        : { world: google.world, scopes: ['https://www.googleapis.com/auth/gmail.readonly'] };
    return world.authorization.grantTo(world.mailboxOf(address).user, scopes).accessToken;
  };
  const disconnect = (accountId: string, provider: Provider): void => {
    const found = current(accountId, provider);
    if (found !== undefined) found.state = 'ending';
  };
  const accounts: TestMailAccounts = {
    fresh: 0,
    connect: (accountId, provider, address) => {
      const known = current(accountId, provider);
      if (known?.address === address) return void Object.assign(known, { state: 'connected', token: undefined });
      disconnect(accountId, provider);
      const id = BigInt(connections.length + 1);
      connections.push({ id, accountId, provider, address, state: 'connected', token: undefined });
    },
    rename: (accountId, provider, address) => {
      (provider === 'microsoft' ? microsoft : google).addUser(address);
      const found = current(accountId, provider);
      if (found !== undefined) Object.assign(found, { address, token: undefined });
    },
    expire: (accountId, provider) => {
      const found = current(accountId, provider);
      if (found !== undefined) found.state = 'expired';
    },
    disconnect,
    check: async (accountId, provider) => void find(provider, { accountId }),
    accessToken: async (provider, mailAccount, { fresh }) => {
      const connection = find(provider, mailAccount);
      if (connection.state === 'expired') throw new ProviderError({ kind: 'reconnect' });
      if (fresh) accounts.fresh += 1;
      const now = clock.now().getTime();
      const valid = connection.token !== undefined && connection.token.until > now ? connection.token : undefined;
      const token = fresh || valid === undefined ? { text: grant(connection), until: now + tokenMs } : valid;
      connection.token = token;
      return {
        accessToken: token.text,
        mailbox: connection.address,
        integrationId: connection.id,
        userId: `id-${connection.id}`,
      };
    },
    listEnding: async () =>
      connections
        .filter(({ state }) => state === 'ending')
        .map(({ accountId, id }): EndingMailAccount => ({ accountId, integrationId: id })),
    finishDisconnect: async ({ integrationId }) => {
      for (const it of connections) if (it.id === integrationId && it.state === 'ending') it.state = 'ended';
    },
  };
  return accounts;
}
