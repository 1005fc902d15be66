import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';

interface Still<T> {
  readonly rows: readonly T[];
  /** Rows that are not shown yet. */
  readonly held: number;
  readonly handlers: { readonly onPointerEnter: () => void; readonly onPointerLeave: () => void };
}

/**
 * Keeps rows at their places while the pointer is over them: they change, but none comes before them and none leaves. Rows behind the last one may come.
 */
export function useStill<T>(rows: readonly T[], keyOf: (row: T) => string | number): Still<T> {
  const isOver = useSignal(false);
  const shown = useRef(rows);
  if (isOver.value) shown.current = inPlace(shown.current, rows, keyOf);
  else shown.current = rows;
  const known = new Set(shown.current.map(keyOf));
  return {
    rows: shown.current,
    held: rows.filter((row) => !known.has(keyOf(row))).length,
    handlers: { onPointerEnter: () => (isOver.value = true), onPointerLeave: () => (isOver.value = false) },
  };
}

function inPlace<T>(shown: readonly T[], rows: readonly T[], keyOf: (row: T) => string | number): readonly T[] {
  const known = new Set(shown.map(keyOf));
  const last = rows.findLastIndex((row) => known.has(keyOf(row)));
  if (last === -1) return rows;
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  return [...shown.map((row) => now.get(keyOf(row)) ?? row), ...rows.slice(last + 1)];
}
