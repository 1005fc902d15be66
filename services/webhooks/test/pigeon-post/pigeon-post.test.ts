import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testNode } from '@agentmesh/lib/rpc/testing';
import { createMetrics } from '@agentmesh/lib/telemetry';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { expect, test } from 'vitest';
import type { Context } from '../../src/mail/context.ts';
import { createSubscriptionHandlers } from '../../src/rpc/subscriptions/index.ts';
import { mailboxOf, openProcessing } from '../processing/open-processing.ts';
import { createPigeonPost, pigeonAccounts, PigeonPost } from './pigeon-post.ts';

test('a provider that no other file knows is subscribed to, a mail of it starts a run, and the last subscription ends its watch', async () => {
  const post = new PigeonPost();
  await using at = await openProcessing({}, [createPigeonPost(post, mailboxOf)]);
  const context = { ...at.processor, mailAccounts: pigeonAccounts(mailboxOf) };
  const unused = { checkAgent: async () => {}, wakeUpkeep: () => {}, countFailure: () => {} };
  const mesh = testNode({ urls: {}, log: context.log, metrics: createMetrics({ processMetrics: false }) });
  mesh.serve(SubscriptionsService, createSubscriptionHandlers({ ...context, ...unused } as unknown as Context));
  const subscriptions = mesh.client(SubscriptionsService);

  const [accountId, second] = [randomUUID(), randomUUID()];
  const mailbox = mailboxOf(accountId);
  const create = (account: string) =>
    subscriptions.createSubscription({ accountId: account, agentId: 7, provider: 'pigeon_post' });
  const { subscription } = await create(accountId);
  expect(subscription).toMatchObject({ provider: 'pigeon_post', status: 'active', subscriptionId: 'pigeon-1' });
  const again = await create(accountId);
  await create(second);
  const watches = await at.db.query<{ serves_mailbox: boolean; mailbox: string }>(
    { text: `select serves_mailbox, mailbox from watches where provider = 'pigeon' order by id` },
    [],
  );
  expect(watches).toEqual([
    { serves_mailbox: true, mailbox },
    { serves_mailbox: true, mailbox: mailboxOf(second) },
  ]);
  await subscriptions.deleteSubscription({ accountId, id: again.subscription?.id ?? 0 });
  expect(post.watched.has(mailbox)).toBe(true);

  const body = post.send(mailbox, 'The harvest is in.');
  await at.notifications.receiveNotification({ provider: 'pigeon', body });
  await at.settle();
  const logs = async () => (await at.logs.listLogs({ accountId })).logs;
  await expect.poll(async () => (await logs()).map(({ status }) => status)).toEqual(['success']);
  const runs = at.siblings.runs.filter((run) => run.accountId === accountId);
  expect(runs).toHaveLength(1);
  expect(JSON.stringify(runs)).toContain('The harvest is in.');

  await subscriptions.deleteSubscription({ accountId, id: subscription?.id ?? 0 });
  expect(post.watched).toEqual(new Set([mailboxOf(second)]));
});

test('a notification for no provider of this release is ignored, and a row of one is an error that names it', async () => {
  await using at = await openProcessing();
  await expect(at.notifications.receiveNotification({ provider: 'pigeon' })).resolves.toMatchObject({});
  expect(() => at.processor.providers.of('pigeon')).toThrow('There is no mail provider "pigeon".');
});

test('no source or schema of this service decides by the word of a provider outside the folders of the providers', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const folders = await Promise.all(
    ['src', 'migrations'].map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = folders.flat().filter((entry) => entry.isFile());
  const own = /^src\/mail\/(?:google|microsoft)\//;
  const paths = files.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  const others = paths.filter((path) => !own.test(path) && /\.(?:ts|sql)$/.test(path));
  expect(others.length).toBeGreaterThan(100);
  const words = /['"`](?:google|microsoft)['"`]|\.(?:GOOGLE|MICROSOFT)\b/;
  const texts = await Promise.all(
    others.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  );
  expect(texts.filter(({ text }) => words.test(text)).map(({ path }) => path)).toEqual([]);
});
