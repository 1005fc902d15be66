export { Wake, type WaitOptions } from './wake.ts';
export { withinDeadline } from './within-deadline.ts';
