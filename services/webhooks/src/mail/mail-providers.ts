import { google } from './google/google.ts';
import { microsoft } from './microsoft/microsoft.ts';
import type { MailProvider } from './provider/mail-provider.ts';

/** Every mail provider. A new one is a folder beside theirs and a line here: docs/adding-a-mail-provider.md. */
export const mailProviders: readonly MailProvider[] = [microsoft, google];
