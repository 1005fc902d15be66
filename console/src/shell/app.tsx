import { useEffect, useRef } from 'preact/hooks';
import { isOffline } from '../data/client.ts';
import { followChanges } from '../data/live.ts';
import { invalidate } from '../data/query.ts';
import { loadSession, session } from '../data/session.ts';
import { countWaiting } from '../data/waiting.ts';
import { Button } from '../kit/button.tsx';
import { Toasts } from '../kit/toasts.tsx';
import { SignPages } from '../screens/sign/sign-pages.tsx';
import { t } from '../texts.ts';
import { isMenuOpen } from './open.ts';
import { Palette } from './palette.tsx';
import { path } from './router.ts';
import { Current } from './current.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { Brand, Side } from './side.tsx';

/** Pages that are shown to everybody. */
const open = /^\/(auth\/|sign-up$|forgot$|erased$)/;

export function App() {
  const known = session.value;
  if (known === undefined) return isOffline.value ? <Offline /> : null;
  const isSignedIn = known.email !== undefined && !open.test(path.value);
  return (
    <>
      {isSignedIn ? <Shell /> : <SignPages />}
      <Toasts />
    </>
  );
}

function Shell() {
  useEffect(() => {
    void countWaiting().catch(() => undefined);
    return followChanges(session.peek()?.email ?? '');
  }, []);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {t.nav.skip}
      </a>
      <Side />
      <header class="bar">
        <Button kind="quiet" icon="menu" label={t.nav.menu} onPress={() => (isMenuOpen.value = true)} />
        <Brand />
      </header>
      <main class="main" id="main" tabIndex={-1}>
        {isOffline.value && <Offline />}
        <Current />
      </main>
      <Drawer />
      <Palette />
      <Shortcuts />
    </div>
  );
}

/** The navigation on narrow screens. */
function Drawer() {
  return isMenuOpen.value ? <OpenDrawer /> : null;
}

function OpenDrawer() {
  const ref = useRef<HTMLDialogElement>(null);
  const at = useRef(path.value);
  useEffect(() => ref.current?.showModal(), []);
  useEffect(() => {
    if (at.current !== path.value) ref.current?.close();
  }, [path.value]);
  return (
    <dialog
      ref={ref}
      class="drawer"
      aria-label={t.nav.menu}
      onClose={() => (isMenuOpen.value = false)}
      onClick={({ target }) => {
        // A link may lead to the screen that is shown.
        if (target === ref.current || (target instanceof Element && target.closest('a'))) ref.current?.close();
      }}
    >
      <Side />
    </dialog>
  );
}

function Offline() {
  const retry = async (): Promise<void> => {
    await loadSession().catch(() => undefined);
    await invalidate('');
  };
  return (
    <div class="offline" role="alert">
      {t.states.offline}
      <Button isTiny onPress={retry}>
        {t.actions.retry}
      </Button>
    </div>
  );
}
