import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { sayError } from './toasts.tsx';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  /** May be asynchronous: the button rests until it has ended, and a failure is told in a toast. */
  readonly onPress?: () => unknown;
  readonly kind?: 'first' | 'quiet' | 'danger' | undefined;
  readonly icon?: IconName;
  /** Name of a button that shows an icon only. */
  readonly label?: string;
  readonly isTiny?: boolean;
  readonly isOff?: boolean;
  /** Whether it rests for other work than its own. */
  readonly isResting?: boolean;
  readonly type?: 'button' | 'submit';
  readonly pressed?: boolean;
  readonly children?: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { onPress, kind, icon, label, isTiny, isOff, isResting = false, type = 'button', pressed, children } = props;
  const isBusy = useSignal(false);
  const press = async (): Promise<void> => {
    if (isBusy.value || isResting) return;
    isBusy.value = true;
    try {
      await onPress?.();
    } catch (error) {
      sayError(error);
    } finally {
      isBusy.value = false;
    }
  };
  const classes = ['button', kind, isTiny && 'tiny', children === undefined && 'icon'].filter(Boolean).join(' ');
  return (
    <button
      type={type}
      class={classes}
      disabled={isOff}
      // It rests without being disabled, which would take the focus away.
      aria-disabled={isBusy.value || isResting || undefined}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onPress && (() => void press())}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface LinkButtonProps extends Pick<ButtonProps, 'kind' | 'icon' | 'isTiny' | 'children'> {
  readonly href: string;
  readonly download?: string;
}

export function LinkButton({ href, kind, icon, isTiny, download, children }: LinkButtonProps): JSX.Element {
  return (
    <a class={['button', kind, isTiny && 'tiny'].filter(Boolean).join(' ')} href={href} download={download}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
