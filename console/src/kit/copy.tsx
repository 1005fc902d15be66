import { useSignal } from '@preact/signals';
import { t } from '../texts.ts';
import { Button } from './button.tsx';

export function Copy({ text }: { readonly text: string }) {
  const isDone = useSignal(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    isDone.value = true;
    setTimeout(() => {
      isDone.value = false;
    }, 1_500);
  };
  const [icon, label] = isDone.value ? (['check', t.actions.copied] as const) : (['copy', t.actions.copy] as const);
  return <Button kind="quiet" isTiny icon={icon} label={label} onPress={copy} />;
}

/** A command of a terminal that can be copied. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <pre class="grow">{text}</pre>
      <Copy text={text} />
    </div>
  );
}

/** Copies a text. Pages of plain HTTP have no clipboard of their own: there the browser copies what is selected. Throws when the browser refuses. */
export async function copyText(text: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) return clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  // Text outside of an open dialog cannot be selected.
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error(t.states.notCopied);
}
