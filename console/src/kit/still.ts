import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';

interface Still<T> {
  readonly rows: readonly T[];
  /** Rows that are not shown yet. */
  readonly held: number;
  readonly handlers: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: (event: PointerEvent) => void;
  };
}

/** A finger leaves before its press counts, and may press again. */
const touchMs = 1_500;

/**
 * Keeps rows at their places while the pointer is over them: they change, but none comes before them and none leaves. Rows behind the last one may come. When none of
 * the shown rows is left, all are replaced, as by a filter; `always` keeps them also then.
 */
export function useStill<T>(
  rows: readonly T[],
  keyOf: (row: T) => string | number,
  { always = false }: { readonly always?: boolean } = {},
): Still<T> {
  const isOver = useSignal(false);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shown = useRef(rows);
  if (isOver.value) shown.current = inPlace(shown.current, rows, keyOf) ?? (always ? shown.current : rows);
  else shown.current = rows;
  const known = new Set(shown.current.map(keyOf));
  return {
    rows: shown.current,
    held: rows.filter((row) => !known.has(keyOf(row))).length,
    handlers: {
      onPointerEnter: () => {
        clearTimeout(leaving.current);
        isOver.value = true;
      },
      onPointerLeave: ({ pointerType }) => {
        leaving.current = setTimeout(() => (isOver.value = false), pointerType === 'touch' ? touchMs : 0);
      },
    },
  };
}

/** Undefined when none of the shown rows is left. */
function inPlace<T>(
  shown: readonly T[],
  rows: readonly T[],
  keyOf: (row: T) => string | number,
): readonly T[] | undefined {
  const known = new Set(shown.map(keyOf));
  const last = rows.findLastIndex((row) => known.has(keyOf(row)));
  if (last === -1) return undefined;
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  return [...shown.map((row) => now.get(keyOf(row)) ?? row), ...rows.slice(last + 1)];
}
