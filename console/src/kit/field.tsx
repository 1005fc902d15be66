import { AgentMeshError } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useContext, useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Draft, Values } from '../data/drafts.ts';
import { t } from '../texts.ts';
import { Button } from './button.tsx';
import { FieldFaults, faultsByField, Typed } from './faults.ts';
import { textOfError } from './toasts.tsx';

interface FieldProps {
  readonly label: string;
  /** The API's path of what is sent, in the same unit: its faults are shown at the field. Any other name has none. */
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
  const { label, hint, name } = props;
  const fault = useContext(FieldFaults).get(name);
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <Control {...props} id={id} isFaulty={fault !== undefined} />
      {fault && (
        <span class="refusal" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      )}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

interface ControlProps extends FieldProps {
  readonly id: string;
  readonly isFaulty: boolean;
}

function Control({ id, isFaulty, hint, options, rows, onChange, ...rest }: ControlProps) {
  const typed = useContext(Typed)[rest.name];
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
  const shown = typed ?? value;
  const shared = {
    id,
    name,
    required,
    placeholder,
    // Code is written from the left.
    dir: isMono === true ? undefined : ('auto' as const),
    class: isMono === true ? 'input mono' : 'input',
    'aria-describedby': [isFaulty && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined,
    'aria-invalid': isFaulty || undefined,
    onInput: onChange && ((event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)),
  };
  if (rows !== undefined) return <textarea {...shared} rows={rows} defaultValue={shown} />;
  if (options === undefined) {
    // Preact types the attributes of each kind of field apart.
    const kind = { type } as { type: 'text' };
    return <input {...shared} {...kind} defaultValue={shown} autocomplete={autocomplete} min={min} step="any" />;
  }
  return (
    <select {...shared}>
      {options.map(([key, text]) => (
        // Preact has no default value of a list; an option that comes later is chosen as well.
        <option key={key} value={key} selected={key === shown}>
          {text}
        </option>
      ))}
    </select>
  );
}

function focusFirst(faults: ReadonlyMap<string, string>, form: HTMLFormElement): void {
  const [name = ''] = faults.keys();
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}

interface FormProps {
  readonly submit: string;
  /** The work of the form cannot be undone. */
  readonly isFinal?: boolean;
  /** Called with the values by name; a failure is shown in the form. */
  readonly onSubmit: (values: Values) => unknown;
  /** Keeps what is typed when its screen is left. */
  readonly draft?: Draft;
  /** A button beside that which submits. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

const nothing: Values = {};

function valuesOf(form: HTMLFormElement): Values {
  return Object.fromEntries(Array.from(new FormData(form), ([name, value]) => [name, value as string]));
}

/** Values to keep: secrets are not kept. */
function draftOf(form: HTMLFormElement): Values {
  const isSecret = (name: string): boolean =>
    form.querySelector(`[type=password][name="${CSS.escape(name)}"]`) !== null;
  return Object.fromEntries(Object.entries(valuesOf(form)).filter(([name]) => !isSecret(name)));
}

function Unsaved({ draft, isResting }: { readonly draft: Draft; readonly isResting: boolean }) {
  return (
    <>
      <span class="small muted grow">{t.states.unsaved}</span>
      <Button isResting={isResting} onPress={draft.drop}>
        {t.actions.discard}
      </Button>
    </>
  );
}

/** A form with its button. While it is sent it cannot be sent again. */
export function Form({ submit, isFinal = false, onSubmit, draft, beside, children }: FormProps) {
  const [isBusy, faults] = [useSignal(false), useSignal<ReadonlyMap<string, string>>(new Map())];
  const send = async (form: HTMLFormElement): Promise<void> => {
    [isBusy.value, faults.value] = [true, new Map()];
    try {
      await onSubmit(valuesOf(form));
      draft?.drop();
    } catch (error) {
      const found = error instanceof AgentMeshError ? error.faults : [];
      faults.value = found.length > 0 ? faultsByField(found, form) : new Map([['', textOfError(error)]]);
      focusFirst(faults.value, form);
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
      onInput={draft && ((event) => draft.keep(draftOf(event.currentTarget)))}
    >
      <Typed.Provider value={draft?.values ?? nothing}>
        <FieldFaults.Provider value={faults.value}>{children}</FieldFaults.Provider>
      </Typed.Provider>
      {faults.value.has('') && (
        <p class="bad toned" role="alert">
          {faults.value.get('')}
        </p>
      )}
      <div class="actions">
        {draft?.isOffered && draft.values && <Unsaved draft={draft} isResting={isBusy.value} />}
        {beside}
        <Button type="submit" kind={isFinal ? 'danger' : 'first'} isResting={isBusy.value}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  /** The meaning of an empty field. */
  readonly usual?: string;
  /** Id of a list of suggestions. */
  readonly list?: string;
  /** Called with the words when they are complete. */
  readonly onChange: (value: string) => void;
}

/** A field that filters a list. It shows what is filtered by, and what is being typed stays when the list is drawn again. */
export function TextFilter({ label, value, usual = '', list, onChange }: TextFilterProps) {
  const ref = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (ref.current) ref.current.value = value;
  }, [value]);
  return (
    <input
      ref={ref}
      class="input"
      type="search"
      list={list}
      aria-label={label}
      placeholder={label}
      onChange={({ currentTarget: field }) => {
        const words = field.value.trim();
        field.value = words === '' ? usual : words;
        onChange(words === usual ? '' : words);
      }}
    />
  );
}
