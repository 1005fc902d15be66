import { effect, signal } from '@preact/signals';

type Theme = 'light' | 'dark' | 'system';
const key = 'theme';

const theme = signal<Theme>(read());

effect(() => {
  const { documentElement: root } = document;
  if (theme.value === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme.value;
});

/** Changes between light and dark. The system's own one is not kept, so that the console follows the system again. */
export function toggleTheme(): void {
  const ofSystem = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const shown = theme.value === 'system' ? ofSystem : theme.value;
  const next = shown === 'dark' ? 'light' : 'dark';
  theme.value = next === ofSystem ? 'system' : next;
  localStorage.setItem(key, theme.value);
}

function read(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}
