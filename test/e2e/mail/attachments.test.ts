import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { type MailMesh, type MailWord, openMailMesh, subscribe } from './open-mail-mesh.ts';

interface LogJson {
  readonly id: number;
  readonly status: string;
  readonly attachments: readonly { filename: string; content_type: string; size: number }[];
}

const maxBytes = 400_000;
let opened: MailMesh;

beforeAll(async () => {
  opened = await openMailMesh({ WEBHOOK_ATTACHMENT_MAX_BYTES: String(maxBytes) });
});
afterAll(() => opened[Symbol.asyncDispose]());

const timeout = 60_000;
const pdf = Buffer.alloc(300_000, '%PDF-1.7 ');
const page = Buffer.from('<script>alert(1)</script>');
const attachments = [
  { name: 'bill.pdf', contentType: 'application/pdf', bytes: pdf },
  { name: '../ä "x".html', contentType: 'text/html', bytes: page },
  { name: 'bill.pdf', contentType: 'image/svg+xml', bytes: page },
  { name: 'huge.bin', contentType: 'application/zip', bytes: Buffer.alloc(maxBytes + 1) },
];

describe.each(['microsoft_outlook', 'google_gmail'] as const)('%s', (word: MailWord) => {
  const api = () => (word === 'google_gmail' ? opened.google.gmail : opened.microsoft.graph);
  const downloads = () => api().callsOf('GET', /\/attachments\/[^/]+(?:\/\$value)?$/).length;
  let received: { caller: Caller; log: LogJson; deleteMail: () => void };

  beforeAll(async () => {
    received = await receive();
  });

  /** A mail with files that has run its agent. */
  async function receive() {
    const address = `files-${word.replaceAll('_', '-')}@mail.example`;
    const caller = await opened.connected(word, address);
    await subscribe(caller, word);
    const mail = { subject: 'Files', text: 'Hello', attachments };
    const { google, microsoft } = opened;
    const deleteMail = word === 'google_gmail' ? addTo(google, address, mail) : addTo(microsoft, address, mail);
    let log: LogJson | undefined;
    const find = async () => {
      [log] = (await caller.request<{ logs: LogJson[] }>('GET', '/api/webhooks/logs')).body.logs;
      return log?.status;
    };
    await vi.waitFor(async () => expect(await find()).toBe('success'), { timeout: 40_000, interval: 200 });
    return { caller, log: log ?? expect.fail('there is no log'), deleteMail };
  }

  const pathOf = (filename: string) =>
    `/api/webhooks/logs/${received.log.id}/attachments/${encodeURIComponent(filename)}`;
  const get = (filename: string, caller = received.caller) => caller.fetch('GET', pathOf(filename));

  test('a download that breaks off stores nothing, and the next one succeeds', { timeout }, async () => {
    const hostile = received.log.attachments[1]?.filename ?? '';
    api().fault({ method: 'GET', path: /\/attachments\/[^/]+(?:\/\$value)?$/, action: 'truncate' });
    const broken = await get(hostile);
    expect([broken.status, await broken.json()]).toMatchObject([502, { code: 'mail_provider_failed' }]);
    expect(await (await get(hostile)).text()).toBe(page.toString());
  });

  test('an attachment is downloaded once, also for calls at the same time, and outlives the mail', {
    timeout,
  }, async () => {
    const before = downloads();
    const answers = await Promise.all([get('bill.pdf'), get('bill.pdf'), get('bill.pdf')]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(pdf)).toBe(true);
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(answer.headers.get('content-disposition')).toBe('inline; filename=bill.pdf');
    }
    expect(downloads()).toBe(before + 1);
    expect((await get('huge.bin')).status).toBe(413);
    const hostile = received.log.attachments[1]?.filename ?? '';
    expect(await (await get(hostile)).text()).toBe(page.toString());
    received.deleteMail();
    expect(Buffer.from(await (await get('bill.pdf')).arrayBuffer()).equals(pdf)).toBe(true);
    const lost = await get('bill (2).pdf');
    expect([lost.status, await lost.json()]).toEqual([
      404,
      { detail: 'attachment not found', code: 'attachment_not_found' },
    ]);
  });

  test('what a sender chose is a safe name and never runs', { timeout }, async () => {
    const names = received.log.attachments.map(({ filename }) => filename);
    expect(names).toEqual(['bill.pdf', '.._ä "x".html', 'bill (2).pdf', 'huge.bin']);
    const { headers } = await get('.._ä "x".html');
    expect(headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''\.\._%C3%A4%20%22x%22\.html$/);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('other names, logs and accounts have none', { timeout }, async () => {
    const stranger = await newAccount(opened.mesh.url);
    const missing = [
      get('bill.pdf', stranger),
      get('other.pdf'),
      received.caller.fetch('GET', '/api/webhooks/logs/2147483647/attachments/bill.pdf'),
    ];
    for (const answer of await Promise.all(missing)) {
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { detail: 'attachment not found', code: 'attachment_not_found' },
      ]);
    }
    expect((await new Caller(opened.mesh.url).fetch('GET', pathOf('bill.pdf'))).status).toBe(401);
  });
});

/** Puts a mail into a fake mailbox. Returns what deletes it there. */
function addTo<M>(
  fake: { addMail(address: string, mail: object): M; deleteMail(address: string, mail: M): void },
  address: string,
  mail: object,
): () => void {
  const stored = fake.addMail(address, mail);
  return () => fake.deleteMail(address, stored);
}
