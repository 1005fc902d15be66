import { signal } from '@preact/signals';
import { mesh, onSignedOut } from './client.ts';
import { forgetDrafts } from './drafts.ts';
import { forgetKept, keepFor } from './kept.ts';
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
/** Tells the other tabs of the browser that its sign-in has changed. */
const channel = new BroadcastChannel('agentmesh-sign-in');

export const session = signal<BrowserSession | undefined>(undefined);
/** Whether the sign-in ended while the console was in use. */
export const hasEnded = signal(false);
/** Account whose data this page holds, by its address. It stays when its sign-in ends by itself, to go on after the next one. */
let owner: string | undefined;

onSignedOut.call = () => {
  const before = session.value;
  if (before?.email === undefined) return;
  hasEnded.value = true;
  forgetAll();
  session.value = { sign_in: before.sign_in, sign_up: before.sign_up };
};

export async function loadSession(): Promise<void> {
  take(await read());
}

export async function signIn(email: string, password: string): Promise<void> {
  await mesh.request({ method: 'POST', path, body: { email, password } });
  channel.postMessage('changed');
  await loadSession();
}

export async function signOut(): Promise<void> {
  await mesh.request({ method: 'DELETE', path });
  forgetKept();
  channel.postMessage('changed');
  startAnew();
}

/** Shows another account when the sign-in has changed outside of this page: in another tab, or by a page that is not of the console. */
export function followSignIn(): void {
  const look = (): void => {
    if (session.peek() !== undefined) void lookAgain().catch(() => undefined);
  };
  channel.addEventListener('message', look);
  addEventListener('focus', look);
  document.addEventListener('visibilitychange', () => document.hidden || look());
}

async function lookAgain(): Promise<void> {
  const before = session.peek();
  const now = await read();
  // The answer may be older than what is shown by now.
  if (session.peek() !== before) return lookAgain();
  if (now.email === before?.email) return;
  if (now.email === undefined) onSignedOut.call();
  else take(now);
}

function read(): Promise<BrowserSession> {
  return mesh.request<BrowserSession>({ path });
}

function take(now: BrowserSession): void {
  if (now.email !== undefined) keepFor(now.email);
  if (owner !== undefined && owner !== now.email) return startAnew();
  owner = now.email;
  hasEnded.value = false;
  session.value = now;
}

/**
 * Forgets all that the page holds, and ends what it does: conversations with their runs, lists, drafts. The page is loaded again, because modules of any
 * screen may hold something.
 */
function startAnew(): void {
  forgetDrafts();
  session.value = undefined;
  // Its caller goes to another screen before.
  setTimeout(() => location.reload());
}
