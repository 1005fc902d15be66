import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { textOfError } from './toasts.tsx';
import { Button } from './button.tsx';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'datetime-local' | 'date' | 'url';
  readonly value?: string | undefined;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly isMono?: boolean;
  /** Rows of a field of several lines. */
  readonly rows?: number;
  readonly min?: number | undefined;
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly onChange?: (value: string) => void;
}

/** A labelled field of a form. */
export function Field(props: FieldProps) {
  const id = useId();
  const { label, hint } = props;
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <Control {...props} id={id} />
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

function Control({ id, hint, options, rows, onChange, ...rest }: FieldProps & { readonly id: string }) {
  const {
    name,
    value = '',
    placeholder,
    isRequired: required = false,
    isMono,
    type = 'text',
    autocomplete,
    min,
  } = rest;
  const shared = {
    id,
    name,
    required,
    placeholder,
    class: isMono === true ? 'input mono' : 'input',
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: onChange && ((event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)),
  };
  if (rows !== undefined) return <textarea {...shared} rows={rows} defaultValue={value} />;
  if (options === undefined) {
    // Preact types the attributes of each kind of field apart.
    const kind = { type } as { type: 'text' };
    return <input {...shared} {...kind} defaultValue={value} autocomplete={autocomplete} min={min} step="any" />;
  }
  return (
    <select {...shared} defaultValue={value}>
      {options.map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface FormProps {
  readonly submit: string;
  /** The work of the form cannot be undone. */
  readonly isFinal?: boolean;
  /** Called with the values by name; a failure is shown in the form. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => unknown;
  /** A button beside that which submits. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form with its button. While it is sent it cannot be sent again. */
export function Form({ submit, isFinal = false, onSubmit, beside, children }: FormProps) {
  const [isBusy, fault] = [useSignal(false), useSignal('')];
  const send = async (form: HTMLFormElement): Promise<void> => {
    [isBusy.value, fault.value] = [true, ''];
    const values = Object.fromEntries(Array.from(new FormData(form), ([name, value]) => [name, value as string]));
    try {
      await onSubmit(values);
    } catch (error) {
      fault.value = textOfError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy.value) void send(event.currentTarget);
      }}
    >
      {children}
      {fault.value && (
        <p class="bad toned" role="alert">
          {fault.value}
        </p>
      )}
      <div class="actions">
        {beside}
        <Button type="submit" kind={isFinal ? 'danger' : 'first'} isOff={isBusy.value}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
