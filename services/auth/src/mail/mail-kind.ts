export type MailKind = 'verify' | 'reset';
