import { AgentMesh } from '@agentmesh/client';

export interface Password {
  readonly email: string;
  readonly password: string;
}

/**
 * Does what needs the password. The cookie of the console is refused there (403 `password_required`), because what is made or deleted outlives
 * it. So this signs in apart, and leaves the browser's cookies as they are.
 */
export async function asOwner<T>({ email, password }: Password, act: (owner: AgentMesh) => Promise<T>): Promise<T> {
  const owner = new AgentMesh({ cookies: 'omit' });
  await owner.account.signIn({ email, password });
  try {
    return await act(owner);
  } finally {
    // The change stands without it: the sign-in would only stay in the list until it expires.
    await endSignIn(owner).catch(() => undefined);
  }
}

async function endSignIn({ account }: AgentMesh): Promise<void> {
  const own = (await account.signIns()).find(({ current }) => current);
  if (own !== undefined) await account.endSignIn(own.id);
}
