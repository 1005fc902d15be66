import { session, signOut } from '../data/session.ts';
import { waiting, waitingText } from '../data/waiting.ts';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { t } from '../texts.ts';
import { findKey } from './keys.ts';
import { isFinding, isShowingKeys } from './open.ts';
import { isShown, places } from './places.ts';
import { base, path } from './router.ts';
import { toggleTheme } from './theme.ts';

export function Brand() {
  return (
    <a class="brand" href={`${base}/`}>
      <img src={`${base}/favicon.svg`} alt="" width="24" height="24" />
      {t.name}
    </a>
  );
}

export function Side() {
  return (
    <nav class="side" aria-label={t.nav.label}>
      <Brand />
      <button type="button" class="find" onClick={() => (isFinding.value = true)}>
        <Icon name="search" />
        {t.nav.find}
        <kbd class="for-keyboard">{findKey}</kbd>
      </button>
      {places.map(([group, listed]) => (
        <div key={group} class="stack side-group">
          <span class="nav-group">{group}</span>
          {listed.filter(isShown).map((place) => (
            <a
              key={place.path}
              class="nav"
              href={base + place.path}
              aria-current={isHere(place.path) ? 'page' : undefined}
            >
              <Icon name={place.icon} size={18} />
              {place.text}
              {place.path === '/inbox' && waiting.value > 0 && <span class="count">{waitingText.value}</span>}
            </a>
          ))}
        </div>
      ))}
      <div class="push" />
      <div class="row who">
        <span class="small muted clip grow" title={session.value?.email}>
          {session.value?.email}
        </span>
        <Button kind="quiet" isTiny icon="sun" label={t.nav.theme} onPress={toggleTheme} />
        <span class="for-keyboard">
          <Button
            kind="quiet"
            isTiny
            icon="keyboard"
            label={t.nav.keysHelp}
            onPress={() => (isShowingKeys.value = true)}
          />
        </span>
        <Button kind="quiet" isTiny icon="out" label={t.nav.signOut} onPress={signOut} />
      </div>
    </nav>
  );
}

function isHere(place: string): boolean {
  return place === '/' ? path.value === '/' : path.value === place || path.value.startsWith(`${place}/`);
}
