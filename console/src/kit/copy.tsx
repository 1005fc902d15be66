import { useSignal } from '@preact/signals';
import { t } from '../texts.ts';
import { Button } from './button.tsx';

export function Copy({ text }: { readonly text: string }) {
  const isDone = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
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
