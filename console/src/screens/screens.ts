import type { ComponentType } from 'preact';
import type { Params } from '../shell/router.ts';

export type Screen = ComponentType<{ params: Params }>;

const loadRun = async (): Promise<Screen> => (await import('./runs/run.tsx')).Run;
const loadChat = async (): Promise<Screen> => (await import('./chat/chat.tsx')).Chat;

/** The screens by their paths. Paths with the same function share a screen, which stays when the path changes. Each is loaded when it is first shown. */
export const screens: readonly (readonly [pattern: string, load: () => Promise<Screen>])[] = [
  ['/', async () => (await import('./home/home.tsx')).Home],
  ['/inbox', async () => (await import('./inbox/inbox.tsx')).Inbox],
  ['/runs', async () => (await import('./runs/runs.tsx')).Runs],
  ['/runs/:id', loadRun],
  ['/runs/:app/:user/:session/:id', loadRun],
  ['/sessions', async () => (await import('./sessions/sessions.tsx')).Sessions],
  ['/sessions/:app/:user/:session', async () => (await import('./sessions/session.tsx')).Session],
  ['/agents', async () => (await import('./agents/agents.tsx')).Agents],
  ['/agents/new', async () => (await import('./agents/new-agent.tsx')).NewAgent],
  ['/agents/:name', async () => (await import('./agents/agent.tsx')).Agent],
  ['/keys', async () => (await import('./keys/keys.tsx')).Keys],
  ['/automation', async () => (await import('./automation/automation.tsx')).Automation],
  ['/connected/:provider', async () => (await import('./automation/connected.tsx')).Connected],
  ['/account', async () => (await import('./account/account.tsx')).Account],
  ['/admin', async () => (await import('./account/admin.tsx')).Admin],
  ['/device', async () => (await import('./device/device.tsx')).Device],
  ['/chat', loadChat],
  ['/chat/:app', loadChat],
  ['/chat/:app/:session', loadChat],
];
