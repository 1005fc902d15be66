import { useSignal } from '@preact/signals';

export type Values = Readonly<Record<string, string>>;

interface Kept {
  /** The value that the form showed when somebody began to type. */
  readonly base: unknown;
  readonly values: Values;
}

/** A form whose typed values outlive its screen until they are saved or discarded. */
export interface Draft {
  readonly values: Values | undefined;
  readonly keep: (values: Values) => void;
  readonly drop: () => void;
  /** Whether its form offers to discard it. That of a dialog is discarded when somebody closes the dialog. */
  readonly isOffered: boolean;
}

const drafts = new Map<string, Kept>();
addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});

interface Drafted<T> {
  /** From the first typed value on this is the value that was shown then, so that a save over a newer one is refused. */
  readonly base: T;
  readonly draft: Draft;
  /** Key of the form, which begins anew with another one. */
  readonly formKey: string;
}

/** The draft of a form for what is read now, by a key for each thing that is edited. */
export function useDraft<T>(key: string, now: T): Drafted<T> {
  // Draws the form again when a draft begins or ends.
  const [begun, version] = [useSignal(drafts.has(key)), useSignal(0)];
  void begun.value;
  const kept = drafts.get(key);
  const base = kept === undefined ? now : (kept.base as T);
  const keep = (values: Values): void => {
    drafts.set(key, { base, values });
    begun.value = true;
  };
  const drop = (): void => {
    drafts.delete(key);
    [begun.value, version.value] = [false, version.value + 1];
  };
  return { base, draft: { values: kept?.values, keep, drop, isOffered: true }, formKey: `${key} ${version.value}` };
}

interface DraftedDialog {
  readonly draft: Draft;
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
}

/**
 * A dialog with a form. When its screen is left otherwise than by closing it, as when the sign-in ends, it is open again with the typed values as soon as
 * the screen comes back.
 */
export function useDraftedDialog(key: string): DraftedDialog {
  const isOpen = useSignal(drafts.has(key));
  const drop = (): void => void drafts.delete(key);
  const keep = (values: Values): void => void drafts.set(key, { base: undefined, values });
  return {
    draft: { values: drafts.get(key)?.values, keep, drop, isOffered: false },
    isOpen: isOpen.value,
    open: () => (isOpen.value = true),
    close: () => {
      drop();
      isOpen.value = false;
    },
  };
}

/** Forgets the drafts of what is deleted, by the beginning of their keys, or all. */
export function forgetDrafts(prefix = ''): void {
  for (const key of drafts.keys()) if (key.startsWith(prefix)) drafts.delete(key);
}
