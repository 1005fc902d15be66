import { fieldInvalid } from '../../errors.ts';
import { templateProblems } from '../template/template-problems.ts';

const changeTypes = new Set(['created', 'updated', 'deleted']);
const mostSenders = 200;
/** An address, or `@` and a domain. */
const sender = /^[^\s@,;<>"\\*]{0,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/;
const longestSender = 320;

/** Reads a comma-separated list of change types; each counts once. Throws `subscription_change_type_invalid`. */
export function readChangeType(text: string): string {
  const words = [...new Set(text.split(',').map((word) => word.trim()))];
  if (words.every((word) => changeTypes.has(word))) return words.join(',');
  throw fieldInvalid('change_type', 'A change type is one or more of created, updated and deleted, joined by commas.');
}

/** Reads a template; absent or empty: none. Throws `subscription_agent_message_template_invalid`. */
export function readTemplate(template: string | undefined): string | null {
  if (template === undefined || template === '') return null;
  const [problem] = templateProblems(template);
  if (problem !== undefined) throw fieldInvalid('agent_message_template', problem);
  return template;
}

/** Reads allowed senders in lower case; each counts once. Throws `subscription_allowed_senders_invalid`. */
export function readAllowedSenders(senders: readonly string[]): string[] {
  const read = [...new Set(senders.map((text) => text.trim().toLowerCase()))];
  if (read.length > mostSenders) throw fieldInvalid('allowed_senders', `There are at most ${mostSenders} senders.`);
  if (read.every((text) => text.length <= longestSender && sender.test(text))) return read;
  throw fieldInvalid(
    'allowed_senders',
    'A sender is an address such as ada@example.com, or a domain such as @example.com.',
  );
}
