import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts.ts';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isBroad?: boolean;
  readonly children: ComponentChildren;
}

/** A press on the dialog's own margin or scroll bar has the same target as one beside it. */
function isBeside(dialog: HTMLDialogElement, { target, clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  if (target !== dialog) return false;
  return x < left || x > right || y < top || y > bottom;
}

/** A native dialog, open as long as it is drawn. Escape and a press beside it close it. */
export function Dialog({ title, onClose, isBroad = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isLeft = useRef(false);
  // At once: keys that are pressed right after the one that opened it are for its field.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // A field brings up the keyboard of a phone, which hides half of the dialog.
    if (matchMedia('(hover: hover)').matches) dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      // The screen is left: nobody has closed the dialog.
      isLeft.current = true;
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={isBroad ? 'dialog broad' : 'dialog'}
      aria-label={title}
      onClose={() => isLeft.current || onClose()}
      onMouseDown={(event) => isBeside(event.currentTarget, event) && ref.current?.close()}
    >
      <div class="stack">
        <div class="row">
          <h2 class="grow">{title}</h2>
          <Button kind="quiet" icon="close" label={t.actions.close} onPress={() => ref.current?.close()} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
