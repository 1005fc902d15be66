import type { Caller } from '../../caller.ts';
import { connectMailbox, type MailWord, subscribe } from '../../e2e/mail/open-mail-mesh.ts';
import { startFakeGoogle } from '../../fakes/google/index.ts';
import { startFakeMicrosoft } from '../../fakes/microsoft/index.ts';
import { createVirtualClock } from '../../fakes/upstream/index.ts';

/** A mailbox whose mails run an agent of an account. */
export interface Mailbox {
  readonly provider: MailWord;
  /** The app of its agent. */
  readonly app: string;
  addMail(subject: string): void;
}

/** Both providers of mail. They send a notification again until it is accepted, in real time. */
export interface MailProviders extends AsyncDisposable {
  /** Settings of a mesh that uses them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Sends the notifications of Gmail to the gateway at this address from now on. */
  notify(url: string): void;
  /** Connects a new mailbox at each provider, and subscribes it for an agent that repeats the subject. */
  connect(caller: Caller): Promise<Mailbox[]>;
}

const words: readonly MailWord[] = ['google_gmail', 'microsoft_outlook'];
/** Pause in milliseconds between looks for notifications that are due again. */
const lookMs = 100;

export async function startMailProviders(): Promise<MailProviders> {
  await using resources = new AsyncDisposableStack();
  const clock = createVirtualClock();
  const google = resources.use(await startFakeGoogle(clock));
  const microsoft = resources.use(await startFakeMicrosoft(clock));
  resources.adopt(
    setInterval(() => void clock.advance(0), lookMs),
    clearInterval,
  );
  const fakeOf = (provider: MailWord) => (provider === 'google_gmail' ? google : microsoft);
  let made = 0;
  const connectOne = async (caller: Caller, provider: MailWord): Promise<Mailbox> => {
    made += 1;
    const address = `resident${made}@mail.example`;
    fakeOf(provider).addUser(address);
    const answer = await connectMailbox(caller, provider, address);
    if (answer.status !== 200) throw new Error(`not connected: ${JSON.stringify(answer.body)}`);
    const { agent_id: agent } = await subscribe(caller, provider, { agent_message_template: '{{ subject }}' });
    const addMail = (subject: string): void => void fakeOf(provider).addMail(address, { subject, text: 'Hello' });
    return { provider, app: `agent${agent}`, addMail };
  };
  const opened = resources.move();
  return {
    // Ten attempts outlast every fault.
    settings: {
      ...microsoft.settings,
      ...google.settings,
      WEBHOOK_RETRY_SECONDS: '1,2,5,10,30,30,30,30,30',
      WEBHOOK_RENEWAL_INTERVAL_SECONDS: '5',
      // All mails have one sender, who would be taken for a loop.
      WEBHOOK_RUNS_PER_SENDER: '100000',
      WEBHOOK_RUNS_PER_SUBSCRIPTION: '100000',
    },
    notify: (url) => {
      google.subscription.endpoint = `${url}/api/webhooks/gmail/notifications`;
    },
    connect: (caller) => Promise.all(words.map((provider) => connectOne(caller, provider))),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
