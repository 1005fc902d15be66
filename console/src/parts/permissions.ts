import { t } from '../texts.ts';

/** Scopes such as `runs:read` in words, one line for each area: `['Runs', 'see and change']`. */
export function permissionsOf(scopes: readonly string[]): readonly (readonly [area: string, verbs: string])[] {
  const actions = new Map<string, readonly string[]>();
  for (const scope of scopes) {
    const [area = '', action = ''] = scope.split(':');
    actions.set(area, [...(actions.get(area) ?? []), action]);
  }
  const areas: Readonly<Record<string, string>> = t.device.areas;
  return Array.from(actions, ([area, list]) => [areas[area] ?? area, wordsOf(area, list)]);
}

function wordsOf(area: string, actions: readonly string[]): string {
  const { see, change, both, use } = t.device.verbs;
  if (!actions.includes('write')) return see;
  if (actions.includes('read')) return both;
  return area === 'audio' ? use : change;
}
