import type { UsageLimit } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Form } from '../../kit/field.tsx';
import { count, dollars } from '../../kit/numbers.ts';
import { Empty, When } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { Time } from '../../kit/time.tsx';
import { t } from '../../texts.ts';

const amounts = ['requests', 'tokens', 'cost_usd'] as const;
const periods = [
  ['day', t.keys.day],
  ['month', t.keys.month],
] as const;

/** Limits of use as bars. */
export function Limits() {
  const known = useQuery('usage?limits', () => mesh.usage.limits(), { everyMs: 30_000 });
  const isAdding = useSignal(false);
  return (
    <>
      <div class="row">
        <p class="muted grow">{t.keys.limitsLead}</p>
        <Button kind="first" icon="plus" onPress={() => (isAdding.value = true)}>
          {t.keys.setLimit}
        </Button>
      </div>
      <When known={known} retry={() => invalidate('usage?limits')}>
        {(limits) =>
          limits.length === 0 ? (
            <Empty icon="chart" title={t.keys.noLimits} text={t.keys.noLimitsText} />
          ) : (
            <div class="budgets">
              {limits.map((limit) => (
                <Budget key={`${limit.scope} ${limit.period}`} limit={limit} />
              ))}
            </div>
          )
        }
      </When>
      {isAdding.value && <SetLimit limits={known.data ?? []} onClose={() => (isAdding.value = false)} />}
    </>
  );
}

function Budget({ limit }: { readonly limit: UsageLimit }) {
  const { scope, period, used, resets_at: resets } = limit;
  const scopes = new Map<string, string>(useScopes());
  const [sure, ask] = useSure();
  const remove = async (): Promise<void> => {
    await mesh.usage.removeLimit(scope, period);
    await invalidate('usage?limits');
  };
  return (
    <section class="card pad stack tight">
      <div class="row">
        <h2 class="grow">
          {scopes.get(scope) ?? scope} · {new Map<string, string>(periods).get(period)}
        </h2>
        <Button
          isTiny
          kind="quiet"
          icon="trash"
          label={t.actions.delete}
          onPress={() => ask(t.keys.deleteLimit, t.keys.deleteLimitText, t.actions.delete, remove)}
        />
      </div>
      {amounts.map((name) => (
        <Amount key={name} name={name} most={limit[name]} spent={used[name] ?? 0} />
      ))}
      <p class="small muted">
        {t.keys.resets} <Time at={resets} />
      </p>
      {sure}
    </section>
  );
}

interface AmountProps {
  readonly name: (typeof amounts)[number];
  readonly most: number | null;
  readonly spent: number;
}

function Amount({ name, most, spent }: AmountProps) {
  if (most === null) return null;
  const written = name === 'cost_usd' ? dollars : count;
  const tone = spent >= most ? 'bad' : spent >= most * 0.8 ? 'warn' : 'busy';
  return (
    <div class="stack tight">
      <div class="row small">
        <span class="grow">{t.keys.amounts[name]}</span>
        <span class="number">
          {written(spent)} / {written(most)}
        </span>
      </div>
      <meter
        class={`budget ${tone}`}
        aria-label={t.keys.amounts[name]}
        max={1}
        value={most === 0 ? 1 : Math.min(1, spent / most)}
      />
    </div>
  );
}

/** The scopes of limits, by names. */
function useScopes(): readonly (readonly [scope: string, name: string])[] {
  const keys = useQuery('keys', () => mesh.keys.list()).data ?? [];
  return [['account', t.keys.account], ...keys.map(({ api_key_id: id, key_name: name }) => [id, name] as const)];
}

interface SetLimitProps {
  readonly limits: readonly UsageLimit[];
  readonly onClose: () => void;
}

/** A limit is replaced as a whole, so the form shows the amounts that it has. */
function SetLimit({ limits, onClose }: SetLimitProps) {
  const [forScope, inPeriod] = [useSignal('account'), useSignal<string>('day')];
  const before = limits.find((it) => it.scope === forScope.value && it.period === inPeriod.value);
  const set = async ({ scope = '', period = '', ...given }: Readonly<Record<string, string>>): Promise<void> => {
    const body = Object.fromEntries(amounts.map((name) => [name, given[name] ? Number(given[name]) : null]));
    await mesh.usage.setLimit(scope, period, body);
    await invalidate('usage?limits');
    onClose();
  };
  return (
    <Dialog title={t.keys.setLimit} onClose={onClose}>
      <Form submit={t.actions.save} onSubmit={set}>
        <div class="pair">
          <Field
            label={t.keys.scope}
            name="scope"
            options={useScopes()}
            onChange={(value) => (forScope.value = value)}
          />
          <Field label={t.keys.period} name="period" options={periods} onChange={(value) => (inPeriod.value = value)} />
        </div>
        <div class="pair" key={`${forScope.value} ${inPeriod.value}`}>
          {amounts.map((name) => (
            <Field
              key={name}
              label={t.keys.amounts[name]}
              name={name}
              type="number"
              min={0}
              value={before?.[name]?.toString()}
            />
          ))}
        </div>
      </Form>
    </Dialog>
  );
}
