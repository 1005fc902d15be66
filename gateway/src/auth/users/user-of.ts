import { MeshError } from '@agentmesh/lib/rpc';
import type { Account } from '@agentmesh/proto/auth/v1';
import { dateTime } from '../date-time.ts';
import type { User } from './user-record.ts';

/** Public form of an account. */
export function userOf(account: Account | undefined): User {
  if (account === undefined) throw new MeshError('internal', 'account_missing', 'The account could not be read.');
  return {
    user_id: Number(account.userId),
    email: account.email,
    first_name: account.firstName,
    last_name: account.lastName,
    username: account.username ?? null,
    full_name: account.fullName ?? null,
    avatar_url: account.avatarUrl ?? null,
    plan: 'free',
    role: account.role,
    stripe_customer_id: null,
    mfa_enabled: false,
    onboarding_completed: account.onboardingCompleted,
    created_at: dateTime(account.createdAt),
    updated_at: dateTime(account.updatedAt),
  };
}
