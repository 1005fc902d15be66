import { AgentMesh } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';

interface Approval {
  readonly code: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Signs a program in. The cookie of the console is refused there (403 `password_required`), because the program gets a token that outlives
 * it. So this signs in apart, for this one request, and leaves the browser's cookies as they are.
 */
export async function approve({ code, email, password }: Approval): Promise<void> {
  const owner = new AgentMesh({ cookies: 'omit' });
  await owner.account.signIn({ email, password });
  try {
    await owner.call('POST', '/api/auth/device/approve', { body: { user_code: code } });
  } finally {
    // The decision stands without it: the sign-in would only stay in the list until it expires.
    await endSignIn(owner).catch(() => undefined);
  }
}

export async function deny(code: string): Promise<void> {
  await mesh.call('POST', '/api/auth/device/deny', { body: { user_code: code } });
}

async function endSignIn({ account }: AgentMesh): Promise<void> {
  const { sessions } = await account.signIns();
  const own = sessions.find(({ current }) => current);
  if (own !== undefined) await account.endSignIn(own.id);
}
