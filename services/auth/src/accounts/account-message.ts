import type { AccountSchema } from '@agentmesh/proto/auth/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AccountRow } from '../store/accounts.ts';

/** The account as other services see it, without password and without the state of its verification. */
export function accountMessage(row: AccountRow): MessageInitShape<typeof AccountSchema> {
  return {
    id: row.id,
    userId: row.user_id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
    onboardingCompleted: row.onboarding_completed,
    createdAt: timestampFromDate(row.created_at),
    updatedAt: timestampFromDate(row.updated_at),
    ...(row.username === null ? {} : { username: row.username }),
    ...(row.full_name === null ? {} : { fullName: row.full_name }),
    ...(row.avatar_url === null ? {} : { avatarUrl: row.avatar_url }),
  };
}
