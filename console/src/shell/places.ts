import { session } from '../data/session.ts';
import type { IconName } from '../kit/icon.tsx';
import { t } from '../texts.ts';

interface Place {
  readonly path: string;
  readonly text: string;
  readonly icon: IconName;
  readonly isForAdmins?: boolean;
  /** Pressed after `g`. */
  readonly key?: string;
}

/** The places of the navigation, in groups. */
export const places: readonly (readonly [group: string, places: readonly Place[]])[] = [
  [
    t.nav.work,
    [
      { path: '/', text: t.nav.home, icon: 'home', key: 'h' },
      { path: '/chat', text: t.nav.chat, icon: 'chat', key: 'c' },
      { path: '/inbox', text: t.nav.inbox, icon: 'inbox', key: 'i' },
      { path: '/runs', text: t.nav.runs, icon: 'runs', key: 'r' },
      { path: '/sessions', text: t.nav.sessions, icon: 'sessions', key: 's' },
    ],
  ],
  [
    t.nav.build,
    [
      { path: '/agents', text: t.nav.agents, icon: 'agents', key: 'b' },
      { path: '/automation', text: t.nav.automation, icon: 'clock', key: 't' },
    ],
  ],
  [
    t.nav.manage,
    [
      { path: '/keys', text: t.nav.keys, icon: 'key', key: 'k' },
      { path: '/account', text: t.nav.account, icon: 'person', key: 'u' },
      { path: '/admin', text: t.nav.admin, icon: 'shield', isForAdmins: true },
    ],
  ],
];

export function isShown({ isForAdmins = false }: Pick<Place, 'isForAdmins'>): boolean {
  return !isForAdmins || session.value?.role === 'ADMIN';
}
