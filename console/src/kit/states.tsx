import { NotFoundError } from '@agentmesh/client';
import type { ComponentChildren } from 'preact';
import type { Known } from '../data/query.ts';
import { t } from '../texts.ts';
import { Button, LinkButton } from './button.tsx';
import { Command } from './copy.tsx';
import { Icon, type IconName } from './icon.tsx';
import { requestIdOf, textOfError } from './toasts.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string | undefined;
  /** A command that makes the first entry. */
  readonly command?: string | undefined;
  readonly children?: ComponentChildren;
}

export function Empty({ icon, title, text, command, children }: EmptyProps) {
  return (
    <div class="state">
      <span class="icon-ring">
        <Icon name={icon} size={22} />
      </span>
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {children}
      {command && <Command text={command} />}
    </div>
  );
}

/** A link away from something that is not there. */
export interface Way {
  readonly href: string;
  readonly text: string;
}

interface FailureProps {
  readonly error: Error;
  readonly title?: string;
  readonly retry?: (() => unknown) | undefined;
  /** Offered beside another try when the thing is not there. */
  readonly back?: Way | undefined;
  readonly children?: ComponentChildren;
}

export function Failure({ error, title = t.states.failed, retry, back, children }: FailureProps) {
  const isGone = back !== undefined && error instanceof NotFoundError;
  const requestId = requestIdOf(error);
  return (
    <div class="state" role="alert">
      <span class="icon-ring bad toned">
        <Icon name="close" size={22} />
      </span>
      <h2>{title}</h2>
      <p>{textOfError(error)}</p>
      {requestId && (
        <p class="small">
          {t.states.requestId} <code>{requestId}</code>
        </p>
      )}
      {isGone && <LinkButton href={back.href}>{back.text}</LinkButton>}
      {retry && (
        <Button icon="retry" onPress={retry}>
          {t.actions.retry}
        </Button>
      )}
      {children}
    </div>
  );
}

export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={t.states.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

interface WhenProps<T> {
  readonly known: Known<T>;
  readonly retry?: () => unknown;
  readonly back?: Way;
  readonly children: (data: T) => ComponentChildren;
}

/** Draws what is known: the data, else the failure, else a skeleton. */
export function When<T>({ known: { data, error }, retry, back, children }: WhenProps<T>) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== undefined) return <Failure error={error} retry={retry} back={back} />;
  return <Skeleton />;
}
