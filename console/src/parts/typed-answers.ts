import { useSignal } from '@preact/signals';

const typed = new Map<string, string>();

/** The text that is typed as the answer of a call, by a key of the call. It outlives its screen until the call is answered. */
export function useTypedAnswer(key: string): readonly [text: string, type: (text: string) => void] {
  const text = useSignal(typed.get(key) ?? '');
  const type = (now: string): void => {
    if (now === '') typed.delete(key);
    else typed.set(key, now);
    text.value = now;
  };
  return [text.value, type];
}
