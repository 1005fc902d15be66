import { fillTables } from './fill-tables.ts';
import { explainStatements } from './statement-plans.ts';

export interface ComparedPlan {
  readonly name: string;
  readonly empty: readonly string[];
  readonly full: readonly string[];
}

export interface PlanFaults {
  readonly plans: readonly ComparedPlan[];
  /** Statements whose plan depends on statistics. */
  readonly differing: readonly ComparedPlan[];
  /** Statements that read a whole table, or a whole index. */
  readonly scanning: readonly ComparedPlan[];
}

/** Compares the plans of statements on the empty tables of a schema, which have no statistics, with those on tables that are full and analyzed. Fills the tables. */
export async function comparePlans(
  database: { readonly url: string; readonly schema: string },
  texts: ReadonlyMap<string, string>,
): Promise<PlanFaults> {
  const empty = await explainStatements(database, texts);
  await fillTables(database);
  const full = await explainStatements(database, texts);
  const plans = [...empty].map(([name, plan]) => ({ name, empty: plan, full: full.get(name) ?? [] }));
  return {
    plans,
    differing: plans.filter((plan) => JSON.stringify(plan.empty) !== JSON.stringify(plan.full)),
    scanning: plans.filter((plan) => plan.full.some((line) => /Seq Scan|(?<!Tid Scan): $/.test(line))),
  };
}
