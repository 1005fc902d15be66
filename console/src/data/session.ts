import { signal } from '@preact/signals';
import { mesh, onSignedOut } from './client.ts';
import { forgetAll } from './query.ts';

/** The part of a sign-in that the server lets its browser read. */
export interface BrowserSession {
  readonly sign_in: boolean;
  readonly sign_up: boolean;
  /** Absent when nobody is signed in. */
  readonly email?: string;
  readonly role?: string;
}

const path = '/console/session';

export const session = signal<BrowserSession | undefined>(undefined);
/** Whether the sign-in ended while the console was in use. */
export const hasEnded = signal(false);

onSignedOut.call = () => {
  const before = session.value;
  if (before?.email === undefined) return;
  hasEnded.value = true;
  leave(before);
};

export async function loadSession(): Promise<void> {
  session.value = await mesh.request<BrowserSession>({ path });
}

export async function signIn(email: string, password: string): Promise<void> {
  await mesh.request({ method: 'POST', path, body: { email, password } });
  hasEnded.value = false;
  await loadSession();
}

export async function signOut(): Promise<void> {
  leave(await mesh.request<BrowserSession>({ method: 'DELETE', path }));
}

function leave({ sign_in, sign_up }: BrowserSession): void {
  forgetAll();
  session.value = { sign_in, sign_up };
}
