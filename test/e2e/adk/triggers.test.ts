import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { openTriggers, type Triggers } from './open-triggers.ts';

let triggers: Triggers;
beforeAll(async () => {
  triggers = await openTriggers();
});
afterAll(() => triggers[Symbol.asyncDispose]());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const success = { status: 200, body: { status: 'success' } };
const eventarc = (body: unknown, headers?: Record<string, string>) =>
  triggers.push(body, { source: 'eventarc', ...(headers && { headers }) });
let users = 0;
/** A source that no other test uses. */
const newSource = (): string => `source-${(users += 1)}`;

/** ADK mocks its runner; here the app `echo` runs, and the first event of its session is what it was told. */
describe('ADK’s own test cases of Pub/Sub', () => {
  test('TestTriggerPubSub.test_success', async () => {
    const message = { data: base64('Hello from Pub/Sub'), messageId: 'msg-001' };
    const subscription = 'projects/my-project/subscriptions/my-sub';
    expect(await triggers.push({ message, subscription })).toEqual(success);
    const userId = 'projects--my-project--subscriptions--my-sub';
    expect(await triggers.told(userId)).toEqual({ data: 'Hello from Pub/Sub', attributes: {} });
    const [session] = await triggers.sessionsOf(userId);
    expect(session?.events).toHaveLength(2);
    const trigger_delivery = { source: 'pubsub', id: 'msg-001', subscription, publish_time: null };
    expect(session?.state).toEqual({ trigger_delivery });
  });

  test('TestTriggerPubSub.test_message_with_attributes', async () => {
    const attributes = { key: 'value', action: 'process' };
    const source = newSource();
    const body = { message: { attributes, messageId: 'msg-002' }, subscription: source };
    expect(await triggers.push(body)).toEqual(success);
    expect(await triggers.told(source)).toEqual({ data: null, attributes });
  });

  test('TestTriggerPubSub.test_json_payload_in_data', async () => {
    const source = newSource();
    const data = base64(JSON.stringify({ order_id: 42, amount: 99.99 }));
    expect(await triggers.push({ message: { data, messageId: 'msg-003' }, subscription: source })).toEqual(success);
    expect(await triggers.told(source)).toEqual({ data: { order_id: 42, amount: 99.99 }, attributes: {} });
  });

  test('TestTriggerPubSub.test_invalid_base64_returns_400', async () => {
    const answer = await triggers.push({ message: { data: '!!!not-valid-base64!!!', messageId: 'msg-bad' } });
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining('base64') } });
  });

  test('TestTriggerPubSub.test_agent_error_returns_500', async () => {
    const answer = await triggers.push({ message: { data: base64('[[fail:Agent crashed]]') } });
    expect(answer).toMatchObject({ status: 500, body: { detail: 'Agent processing failed: Agent crashed' } });
  });

  test('TestTriggerPubSub.test_with_subscription_metadata', async () => {
    const body = { message: { data: base64('test') }, subscription: 'projects/p/subscriptions/orders-sub' };
    expect(await triggers.push(body)).toEqual(success);
  });

  test('TestTriggerPubSub.test_subscription_user_id_is_path_safe', async () => {
    const body = { message: { data: base64('test') }, subscription: 'projects/p/subscriptions/safe-sub' };
    expect(await triggers.push(body)).toEqual(success);
    expect(await triggers.sessionsOf('projects--p--subscriptions--safe-sub')).toHaveLength(1);
  });

  test('TestTriggerPubSub.test_unknown_app_fails_early', async () => {
    for (const app of ['unknown_app', 'agent123456']) {
      const answer = await triggers.push({ message: { data: base64('test') } }, { app });
      expect(answer).toMatchObject({ status: 500, body: { code: 'trigger_app_not_found' } });
    }
    expect(await triggers.sessionsOf('pubsub-caller', 'unknown_app')).toEqual([]);
  });
});

describe('ADK’s own test cases of Eventarc', () => {
  test('TestTriggerEventarc.test_success', async () => {
    const data = { bucket: 'my-bucket', name: 'path/to/file.pdf', contentType: 'application/pdf' };
    const source = 'storage.googleapis.com';
    const type = 'google.cloud.storage.object.v1.finalized';
    expect(await eventarc({ data, source, type, id: 'evt-001', specversion: '1.0' })).toEqual(success);
    const attributes = { 'ce-id': 'evt-001', 'ce-type': type, 'ce-source': source, 'ce-specversion': '1.0' };
    expect(await triggers.told(source)).toEqual({ data, attributes });
    const trigger_delivery = { source: 'eventarc', id: 'evt-001', event_source: source, type };
    expect((await triggers.sessionsOf(source))[0]?.state).toEqual({ trigger_delivery });
  });

  test('TestTriggerEventarc.test_source_derived_from_body', async () => {
    expect(await eventarc({ data: { key: 'value' }, source: 'my-custom-source' })).toEqual(success);
    expect(await triggers.sessionsOf('my-custom-source')).toHaveLength(1);
  });

  test('TestTriggerEventarc.test_source_from_ce_header', async () => {
    expect(await eventarc({ data: { key: 'value' } }, { 'ce-source': 'header-source' })).toEqual(success);
    expect(await triggers.sessionsOf('header-source')).toHaveLength(1);
  });

  test('TestTriggerEventarc.test_eventarc_source_user_id_is_path_safe', async () => {
    const headers = { 'ce-source': '//pubsub.googleapis.com/projects/p/topics/safe' };
    expect(await eventarc({ data: { key: 'value' } }, headers)).toEqual(success);
    expect(await triggers.sessionsOf('pubsub.googleapis.com--projects--p--topics--safe')).toHaveLength(1);
  });

  test('TestTriggerEventarc.test_complex_event_data', async () => {
    const resource = { name: 'projects/p/topics/t', labels: { env: 'prod' } };
    const data = { resource, insertId: 'abc123', timestamp: '2026-01-01T00:00:00Z' };
    const source = newSource();
    expect(await eventarc({ data, source })).toEqual(success);
    expect((await triggers.told(source)).data).toEqual(data);
  });

  test('TestTriggerEventarc.test_agent_error_returns_500', async () => {
    const answer = await eventarc({ data: { trigger: '[[fail:error]]' } });
    expect(answer).toMatchObject({ status: 500, body: { detail: 'Agent processing failed: error' } });
  });

  test('TestTriggerEventarc.test_minimal_payload', async () => {
    const source = newSource();
    expect(await eventarc({ data: {} }, { 'ce-source': source })).toEqual(success);
    expect((await triggers.told(source)).data).toEqual({});
  });

  test('TestTriggerEventarc.test_structured_mode_pubsub_wrapper', async () => {
    const source = newSource();
    const message = { data: base64('Hello from structured Eventarc') };
    expect(await eventarc({ data: { message }, source })).toEqual(success);
    expect(await triggers.told(source)).toEqual({ data: 'Hello from structured Eventarc', attributes: {} });
  });

  test('TestTriggerEventarc.test_binary_content_mode_pubsub_wrapper', async () => {
    const source = '//pubsub.googleapis.com/projects/p/topics/binary';
    const message = { data: base64('hello from eventarc'), messageId: 'evt-msg-001' };
    const type = 'google.cloud.pubsub.topic.v1.messagePublished';
    const headers = { 'ce-source': source, 'ce-type': type, 'ce-id': 'binary-test-1', 'ce-specversion': '1.0' };
    const body = { message, subscription: 'projects/p/subscriptions/eventarc-sub' };
    expect(await eventarc(body, headers)).toEqual(success);
    const userId = 'pubsub.googleapis.com--projects--p--topics--binary';
    expect(await triggers.told(userId)).toEqual({ data: 'hello from eventarc', attributes: {} });
    const [session] = await triggers.sessionsOf(userId);
    expect(session?.state.trigger_delivery).toMatchObject({ id: 'binary-test-1', event_source: source, type });
  });

  test('TestTriggerEventarc.test_binary_content_mode_attributes_only', async () => {
    const source = newSource();
    const message = { attributes: { key: 'value' }, messageId: 'evt-msg-002' };
    expect(await eventarc({ message }, { 'ce-source': source })).toEqual(success);
    expect(await triggers.told(source)).toEqual({ data: null, attributes: { key: 'value' } });
  });

  test('TestTriggerEventarc.test_binary_content_mode_arbitrary_payload', async () => {
    const source = newSource();
    const payload = { bucket: 'my-bucket', name: 'file.txt', contentType: 'application/json' };
    expect(await eventarc(payload, { 'ce-source': source, 'ce-id': '12345' })).toEqual(success);
    expect(await triggers.told(source)).toMatchObject({ data: payload, attributes: { 'ce-id': '12345' } });
  });
});

describe('ADK’s own test cases of both', () => {
  const exhausted = () =>
    triggers.openAi.answer(...Array.from({ length: 20 }, () => ({ status: 429, error: { message: 'slow down' } })));

  test('TestRetryLogic.test_pubsub_retry_exhausted_returns_500', async () => {
    exhausted();
    const answer = await triggers.push({ message: { data: base64('429 test') } }, { app: 'chat' });
    expect(answer).toMatchObject({ status: 500, body: { detail: expect.stringContaining('Rate limit') } });
  });

  test('TestRetryLogic.test_eventarc_retry_exhausted_returns_500', async () => {
    exhausted();
    const answer = await triggers.push({ data: { test: '429' } }, { app: 'chat', source: 'eventarc' });
    expect(answer).toMatchObject({ status: 500, body: { detail: expect.stringContaining('Rate limit') } });
  });

  test('TestRetryLogic.test_non_transient_error_not_retried', async () => {
    const source = newSource();
    const answer = await eventarc({ data: { test: '[[fail:PERMISSION_DENIED: no access]]' }, source });
    expect(answer.status).toBe(500);
    expect(await triggers.sessionsOf(source)).toHaveLength(1);
  });

  test('TestConcurrencyControl.test_concurrent_pubsub_and_eventarc', async () => {
    const answers = [triggers.push({ message: { data: base64('ps') } }), eventarc({ data: { key: 'value' } })];
    expect(await Promise.all(answers)).toEqual([success, success]);
  });

  test('TestTriggersDisabled.test_pubsub_returns_404', async () => {
    const caller = await newAccount(inject('meshUrl'));
    const body = { message: { data: base64('x') } };
    expect((await caller.request('POST', '/apps/echo/trigger/pubsub', body)).status).toBe(404);
  });

  test('TestTriggersDisabled.test_eventarc_returns_404', async () => {
    const caller = await newAccount(inject('meshUrl'));
    expect((await caller.request('POST', '/apps/echo/trigger/eventarc', { data: {} })).status).toBe(404);
  });
});
