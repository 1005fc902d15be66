import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { type Context, unary } from '../context.ts';
import type { ExportedRecord, ExportPart } from '../export-part.ts';
import { savedKeyJson } from './saved-keys/saved-key-json.ts';
import { limitJson, type UsagePart, usageRow } from './usage/usage-json.ts';

const firstDay = '2020-01-01';
const mostRows = 10_000;
const parts = new Set<UsagePart>(['day', 'agent', 'user', 'key', 'model']);
const groupBy = { day: true, app: true, user: true, key: true, model: true, run: false };

/** Saved keys without their secrets, limits, and the use of models by day, app, user, key and model. */
export const keysExport: ExportPart = {
  kinds: ['saved_key', 'limit', 'usage'],
  async *read({ savedKeys, modelUse }, owner) {
    const { accountId } = owner;
    const { keys } = await savedKeys.listKeys({ accountId, kind: KeyKind.SAVED }, unary);
    for (const key of keys) yield { kind: 'saved_key', data: savedKeyJson(key, owner) };
    const { limits } = await modelUse.listLimits({ accountId }, unary);
    for (const limit of limits) yield { kind: 'limit', data: limitJson(limit) };
    yield* useOf(modelUse, accountId);
  },
};

/** Reads the use day by day, and app by app, because one answer has at most 10,000 rows. What has more is told as left out. */
async function* useOf(modelUse: Context['modelUse'], accountId: string): AsyncGenerator<ExportedRecord> {
  const today = new Date().toISOString().slice(0, 10);
  const list = (wanted: object) => modelUse.listUsage({ accountId, limit: mostRows, ...wanted }, unary);
  const days = await list({ fromDay: firstDay, toDay: today, groupBy: { day: true } });
  for (const { day } of days.sums) {
    const apps = await list({ fromDay: day, toDay: day, groupBy: { app: true } });
    for (const { appName } of apps.sums) {
      const { sums, hasMore } = await list({ fromDay: day, toDay: day, groupBy, appName });
      for (const sum of sums) yield { kind: 'usage', data: usageRow(sum, parts) };
      if (hasMore) yield { kind: 'left_out', data: { kind: 'usage', day, agent: appName } };
    }
  }
}
