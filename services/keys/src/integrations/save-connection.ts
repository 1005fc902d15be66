import { type Database, lockKey, type Transaction } from '@agentmesh/lib/pg';
import {
  type ConnectionFields,
  endIntegration,
  insertIntegration,
  type IntegrationRow,
  lockConnected,
  type ProviderWord,
  replaceConnection,
  takeIntegrationId,
} from '../store/integrations.ts';
import { refreshTokenMissing } from './errors.ts';
import type { Profile } from './providers/index.ts';
import type { Tokens } from './token-endpoint.ts';
import type { TokenVault } from './token-vault.ts';

interface Context {
  readonly db: Database;
  readonly tokenVault: TokenVault;
}

export interface Connection {
  readonly accountId: string;
  readonly provider: ProviderWord;
  readonly providerName: string;
  readonly scopes: readonly string[];
  readonly profile: Profile;
  readonly tokens: Tokens;
}

export interface SavedConnection {
  readonly row: IntegrationRow;
  /** Id of the integration with another mail account that this one has ended. */
  readonly ended: bigint | undefined;
}

/**
 * Stores a connection. The same mail account keeps its integration, and its refresh token when the provider gives no new one. Another
 * mail account ends the former integration. Throws `refresh_token_missing` when there would be no usable refresh token.
 */
export function saveConnection(context: Context, connection: Connection): Promise<SavedConnection> {
  return context.db.transaction(async (tx) => {
    const { accountId, provider, profile } = connection;
    await lockKey(tx, 'connect', `${accountId} ${provider}`);
    const [known] = await lockConnected(tx, { accountId, provider });
    if (known?.provider_user_id === profile.userId) {
      return { row: await replace(context, tx, { connection, known }), ended: undefined };
    }
    if (connection.tokens.refreshToken === undefined) throw refreshTokenMissing(provider);
    if (known !== undefined) await endIntegration(tx, { accountId, provider });
    return { row: await insert(context, tx, connection), ended: known?.id };
  });
}

interface Replacement {
  readonly connection: Connection;
  readonly known: IntegrationRow;
}

async function replace(context: Context, tx: Transaction, { connection, known }: Replacement): Promise<IntegrationRow> {
  const { accountId, provider, tokens } = connection;
  const place = { accountId, integrationId: known.id, column: 'refresh_token' } as const;
  const isUsable = !known.needs_reconnect && (await context.tokenVault.open(known.refresh_token, place)) !== undefined;
  if (tokens.refreshToken === undefined && !isUsable) throw refreshTokenMissing(provider);
  const fields = await fieldsOf(context, known.id, connection);
  const values = { accountId, integrationId: known.id, ...fields };
  const kept = {
    ...values,
    refreshToken: tokens.refreshToken === undefined ? known.refresh_token : fields.refreshToken,
  };
  return only(await replaceConnection(tx, kept));
}

async function insert(context: Context, tx: Transaction, connection: Connection): Promise<IntegrationRow> {
  const { accountId, provider, profile } = connection;
  const { id } = only(await takeIntegrationId(tx, {}));
  const fields = await fieldsOf(context, id, connection);
  const place = { accountId, integrationId: id, provider, providerUserId: profile.userId };
  return only(await insertIntegration(tx, { ...place, ...fields }));
}

async function fieldsOf({ tokenVault }: Context, integrationId: bigint, it: Connection): Promise<ConnectionFields> {
  const { accountId, providerName, scopes, profile, tokens } = it;
  const place = { accountId, integrationId };
  return {
    providerName,
    scopes,
    username: profile.username,
    displayName: profile.displayName,
    refreshToken: await tokenVault.seal(tokens.refreshToken ?? '', { ...place, column: 'refresh_token' }),
    accessToken: await tokenVault.seal(tokens.accessToken, { ...place, column: 'access_token' }),
    accessSeconds: tokens.expiresInSeconds,
  };
}

/** The row of a statement that always returns one. */
function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The statement returned no row.');
  return row;
}
