import { loadApps } from '../../data/apps.ts';
import { useQuery } from '../../data/query.ts';
import { TextFilter } from '../../kit/field.tsx';
import { query, setQuery } from '../../shell/router.ts';
import { t } from '../../texts.ts';

const hours: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168 };

/** Time of a choice like `day`, as RFC 3339 rounded to the minute. */
export function sinceOf(choice: string | null): string | undefined {
  const length = hours[choice ?? ''];
  if (length === undefined) return undefined;
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 - length * 3_600_000).toISOString();
}

const costs = ['0.01', '0.1', '1', '10'];

/** US dollars of a choice; undefined where the address has another text. */
export function costOf(choice: string | null): number | undefined {
  const dollars = Number(choice ?? '');
  return dollars > 0 && dollars < Infinity ? dollars : undefined;
}

export function RunFilters() {
  const apps = useQuery('apps', loadApps).data ?? [];
  const states = Object.entries(t.runStatus);
  const times = [
    ['hour', t.runs.hour],
    ['day', t.runs.day],
    ['week', t.runs.week],
  ] as const;
  return (
    <div class="filters" role="search" aria-label={t.runs.title}>
      <Choice
        name="app"
        label={t.runs.agent}
        all={t.runs.allAgents}
        options={apps.map(({ name, title }) => [name, title])}
      />
      <Choice name="status" label={t.runs.status} all={t.runs.allStates} options={states} />
      <Choice name="since" label={t.runs.since} all={t.runs.anyTime} options={times} />
      <Choice
        name="cost"
        label={t.runs.cost}
        all={t.runs.anyCost}
        options={costs.map((cost) => [cost, `${t.runs.from} $${cost}`])}
      />
      <Text name="version" label={t.runs.version} />
      <Text name="user" label={t.runs.user} />
    </div>
  );
}

/** A text whose value is in the address. */
function Text({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <TextFilter label={label} value={query.value.get(name) ?? ''} onChange={(value) => setQuery({ [name]: value })} />
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly all: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A filter whose value is in the address. */
function Choice({ name, label, all, options }: ChoiceProps) {
  const chosen = query.value.get(name) ?? '';
  // For example an agent that was deleted.
  const isOther = chosen !== '' && options.every(([value]) => value !== chosen);
  return (
    <select
      class="input"
      aria-label={label}
      value={chosen}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      <option value="">{all}</option>
      {isOther && <option value={chosen}>{chosen}</option>}
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
