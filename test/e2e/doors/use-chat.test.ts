import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { Window } from 'happy-dom';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';

const url = inject('meshUrl');
const window = new Window();
/** In the browser of the end user `u1`. */
let bound: Caller;

beforeAll(async () => {
  // Only what React asks for; requests go by Node's own fetch.
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', window.document);
  const account = await newAccount(url);
  const made = await account.request<{ token: string }>('POST', '/api/auth/tokens', {
    name: 'page',
    scopes: ['runs:write', 'runs:read'],
    user_id: 'u1',
  });
  bound = new Caller(url, made.body.token);
});
afterAll(async () => {
  // React ends the effects of a closed page in the next turn, and asks for `window` then.
  await setImmediate();
  vi.unstubAllGlobals();
  await window.happyDOM.close();
});

type Chat = ReturnType<typeof useChat<UIMessage>>;

const whenApproved = lastAssistantMessageIsCompleteWithApprovalResponses;
const whenTold = lastAssistantMessageIsCompleteWithToolCalls;

interface PageOptions {
  readonly app?: string;
  readonly resume?: boolean;
  readonly sendsOn?: typeof whenApproved;
}

/** A page with a chat. `chat` is what the hook answered at the latest rendering. */
async function openPage(id: string, { app = 'echo', resume = false, sendsOn = whenApproved }: PageOptions = {}) {
  const [{ createElement }, { createRoot }, { flushSync }] = await Promise.all([
    import('react'),
    import('react-dom/client'),
    import('react-dom'),
  ]);
  const headers = { authorization: `Bearer ${bound.token}` };
  const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat/${app}`, headers });
  let latest: Chat | undefined;
  const Page = (): null => {
    latest = useChat({
      id,
      transport,
      resume,
      sendAutomaticallyWhen: sendsOn,
    });
    return null;
  };
  const root = createRoot(window.document.createElement('div') as never);
  root.render(createElement(Page));
  await expect.poll(() => latest).toBeDefined();
  const chat = () => latest as Chat;
  const texts = () =>
    chat().messages.map(({ role, parts }) => [
      role,
      parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    ]);
  const tool = () =>
    chat()
      .messages.at(-1)
      ?.parts.find((part) => part.type === 'dynamic-tool');
  return { chat, texts, tool, close: () => flushSync(() => root.unmount()) };
}

test('useChat shows the words of an app, message by message', async () => {
  const page = await openPage(randomUUID());
  await page.chat().sendMessage({ text: 'Hello, mesh' });
  await page.chat().sendMessage({ text: 'again' });
  await expect.poll(page.texts).toEqual([
    ['user', 'Hello, mesh'],
    ['assistant', 'Hello, mesh'],
    ['user', 'again'],
    ['assistant', 'again'],
  ]);
  await expect.poll(() => page.chat().status).toBe('ready');
  page.close();
});

test('an approval in useChat is sent by itself, and the run goes on in its message', async () => {
  const page = await openPage(randomUUID(), { app: 'approve' });
  await page.chat().sendMessage({ text: '[[state:paid=yes]] thanks' });
  await expect.poll(() => page.tool()?.state).toBe('approval-requested');
  const approval = page.tool()?.approval;
  await page.chat().addToolApprovalResponse({ id: approval?.id ?? '', approved: true });
  await expect.poll(() => page.tool()?.state).toBe('output-available');
  await expect.poll(() => page.chat().status).toBe('ready');
  expect(page.texts()).toEqual([
    ['user', '[[state:paid=yes]] thanks'],
    ['assistant', expect.stringContaining('thanks')],
  ]);
  expect(page.chat().error).toBeUndefined();
  page.close();
});

test('an output that a page gives is sent by itself, and a finished answer with tools is not sent again', async () => {
  const page = await openPage(randomUUID(), { sendsOn: whenTold });
  await page.chat().sendMessage({ text: '[[tool:request_input {"message":"Which date?"}]] booked' });
  await expect.poll(() => page.tool()?.state).toBe('input-available');
  const { toolCallId = '' } = page.tool() ?? {};
  await page.chat().addToolOutput({ tool: 'request_input' as never, toolCallId, output: '1 May' });
  await expect.poll(() => page.texts().at(-1)?.[1]).toContain('booked');
  await expect.poll(() => page.chat().status).toBe('ready');
  await page.chat().sendMessage({ text: '[[state:mine=1]] noted' });
  await expect.poll(() => page.chat().status).toBe('ready');
  expect([page.texts().at(-1)?.[1]?.trim(), page.chat().error]).toEqual(['noted', undefined]);
  page.close();
});

test('a page that is loaded again in mid-answer goes on with it, and a new one begins empty', async () => {
  const id = randomUUID();
  const page = await openPage(id);
  void page.chat().sendMessage({ text: 'first [[wait:6000]] second' });
  await expect.poll(() => page.texts().at(-1)?.[1]).toContain('first');
  page.close();
  const again = await openPage(id, { resume: true });
  await expect.poll(() => again.texts().at(-1)?.[1]).toMatch(/^first\s+second$/);
  await expect.poll(() => again.chat().status).toBe('ready');
  again.close();
  const other = await openPage(randomUUID(), { resume: true });
  await expect.poll(() => other.chat().status).toBe('ready');
  expect([other.chat().messages, other.chat().error]).toEqual([[], undefined]);
  other.close();
});

test('useChat tells a person in a sentence why an app does not answer', async () => {
  const unknown = await openPage(randomUUID(), { app: 'no-such-app' });
  await unknown.chat().sendMessage({ text: 'hello' });
  await expect.poll(() => unknown.chat().error?.message).toMatch(/^[^{]*no-such-app[^}]*$/);
  unknown.close();
  const failing = await openPage(randomUUID());
  await failing.chat().sendMessage({ text: '[[fail:no luck]]' });
  await expect.poll(() => failing.chat().error?.message).toBe('no luck');
  failing.close();
});
