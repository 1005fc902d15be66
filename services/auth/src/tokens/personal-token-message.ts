import type { PersonalTokenSchema } from '@agentmesh/proto/auth/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { PersonalTokenRow } from '../store/personal-tokens.ts';

/** The token as its account sees it, without its secret. */
export function personalTokenMessage(row: PersonalTokenRow): MessageInitShape<typeof PersonalTokenSchema> {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    createdAt: timestampFromDate(row.created_at),
    expiresAt: timestampFromDate(row.expires_at),
    ...(row.user_id !== null && { userId: row.user_id }),
    ...(row.last_used_at !== null && { lastUsedAt: timestampFromDate(row.last_used_at) }),
  };
}
