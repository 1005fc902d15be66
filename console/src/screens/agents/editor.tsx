import { type Fault, InvalidRequestError } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { useQuery } from '../../data/query.ts';
import { t } from '../../texts.ts';
import { type AgentSchema, type Suggestion, suggestionsAt } from './suggestions.ts';

/** Pause in the typing after which the text is checked, in milliseconds. */
const restMs = 400;

interface EditorProps {
  readonly name: string;
  readonly value: string;
  /** The agent that the text would replace; absent: a new one. */
  readonly id?: string;
}

/** A field for an agent's YAML: it suggests keys and values of our schema, and tells what the server would refuse. */
export function Editor({ name, value, id }: EditorProps) {
  const own = useId();
  const { field, text, items, chosen, isOpen, note, take, onKey, close } = useTyping(value);
  const faults = useFaults(text, id);
  return (
    <div class="field">
      <label class="label" for={own}>
        YAML
      </label>
      <textarea
        ref={field}
        id={own}
        name={name}
        class="input mono"
        rows={18}
        defaultValue={value}
        spellcheck={false}
        aria-describedby={`${own}-faults`}
        aria-autocomplete="list"
        aria-controls={isOpen ? `${own}-words` : undefined}
        aria-activedescendant={isOpen ? `${own}-${chosen}` : undefined}
        onInput={note}
        onKeyDown={onKey}
        onBlur={close}
      />
      {isOpen && <Words id={own} items={items} chosen={chosen} take={take} />}
      <Faults id={`${own}-faults`} faults={faults} />
    </div>
  );
}

/** The typed text, and the suggestions for it. */
function useTyping(value: string) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, at] = [useSignal(value), useSignal(value.length)];
  const [offered, chosen] = [useSignal(false), useSignal(0)];
  const schema = useQuery('agents:schema', () => mesh.request<AgentSchema>({ path: '/schemas/agent.json' })).data ?? {};
  const models = useQuery('agents:models', loadModels).data ?? [];
  const { typed, items } = suggestionsAt(text.value.slice(0, at.value), schema, models);
  const isOpen = offered.value && items.length > 0;
  const note = (): void => {
    const { value: now = '', selectionStart = 0 } = field.current ?? {};
    [text.value, at.value, offered.value, chosen.value] = [now, selectionStart, true, 0];
  };
  const take = ({ word }: Suggestion): void => {
    field.current?.setRangeText(word, at.value - typed, at.value, 'end');
    field.current?.dispatchEvent(new Event('input', { bubbles: true }));
    field.current?.focus();
  };
  const close = (): void => void (offered.value = false);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = items[chosen.value];
    if (!isOpen) return;
    if (step !== undefined) chosen.value = (chosen.value + step + items.length) % items.length;
    else if ((event.key === 'Enter' || event.key === 'Tab') && item !== undefined) take(item);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  return { field, text: text.value, items, chosen: chosen.value, isOpen, note, take, onKey, close };
}

interface WordsProps {
  readonly id: string;
  readonly items: readonly Suggestion[];
  readonly chosen: number;
  readonly take: (item: Suggestion) => void;
}

function Words({ id, items, chosen, take }: WordsProps) {
  return (
    <ul id={`${id}-words`} class="card words" role="listbox" aria-label={t.agents.suggestions}>
      {items.map((item, index) => (
        <li
          key={item.word}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseDown={(event) => {
            event.preventDefault();
            take(item);
          }}
        >
          <code>{item.word}</code> <span class="small muted">{item.about}</span>
        </li>
      ))}
    </ul>
  );
}

function Faults({ id, faults }: { readonly id: string; readonly faults: readonly Fault[] | undefined }) {
  const told = faults === undefined ? t.agents.yamlHint : faults.length === 0 ? t.agents.noFaults : undefined;
  return (
    <div id={id} class="hint" aria-live="polite">
      {told}
      {faults?.map(({ loc, msg }) => (
        <p key={`${loc.join('.')}${msg}`} class="bad toned">
          <code>{loc.slice(1).join('.')}</code> {msg}
        </p>
      ))}
    </div>
  );
}

/** Faults of a text that rests; undefined before the first check, and where it could not be checked. */
function useFaults(text: string, id: string | undefined): readonly Fault[] | undefined {
  const faults = useSignal<readonly Fault[] | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      mesh.agents.checkYaml(text, { id, signal: leaving.signal }).then(
        () => (faults.value = []),
        (error: unknown) => {
          if (!leaving.signal.aborted) faults.value = error instanceof InvalidRequestError ? error.faults : undefined;
        },
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text, id]);
  return faults.value;
}

async function loadModels(): Promise<readonly string[]> {
  const { providers } = await mesh.agents.models();
  return providers.flatMap(({ models }) => models.map(({ id }) => id));
}
