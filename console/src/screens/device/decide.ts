import { asOwner, type Password } from '../../data/as-owner.ts';
import { mesh } from '../../data/client.ts';

interface Approval extends Password {
  readonly code: string;
}

/** Signs a program in, which gets a token that outlives the cookie of the console. */
export async function approve({ code, ...password }: Approval): Promise<void> {
  await asOwner(password, (owner) => owner.call('POST', '/api/auth/device/approve', { body: { user_code: code } }));
}

export async function deny(code: string): Promise<void> {
  await mesh.call('POST', '/api/auth/device/deny', { body: { user_code: code } });
}
