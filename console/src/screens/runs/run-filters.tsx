import { loadApps } from '../../data/apps.ts';
import { useQuery } from '../../data/query.ts';
import { query, setQuery } from '../../shell/router.ts';
import { t } from '../../texts.ts';

const hours: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168 };

/** Time of a choice like `day`, as RFC 3339 rounded to the minute. */
export function sinceOf(choice: string | null): string | undefined {
  const length = hours[choice ?? ''];
  if (length === undefined) return undefined;
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 - length * 3_600_000).toISOString();
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
      <input
        class="input"
        type="search"
        aria-label={t.runs.user}
        placeholder={t.runs.user}
        defaultValue={query.value.get('user') ?? ''}
        onChange={(event) => setQuery({ user: event.currentTarget.value.trim() })}
      />
    </div>
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
  return (
    <select
      class="input"
      aria-label={label}
      value={query.value.get(name) ?? ''}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      <option value="">{all}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
