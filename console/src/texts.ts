import { manage } from './texts/manage.ts';
import { shell } from './texts/shell.ts';
import { work } from './texts/work.ts';

/** Every text that the console shows. */
export const t = { ...shell, ...work, ...manage };
