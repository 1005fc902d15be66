export { makeConsumer, signToken } from './consumers/index.ts';
export { ListenError, listenOn } from './listen-on.ts';
export { migrate, printRoles } from './migrate.ts';
export { makeSecrets } from './mesh-secrets.ts';
export {
  amount,
  daysFrom,
  encryptKey,
  type Environment,
  flag,
  httpUrl,
  isShortKey,
  listOf,
  parseSettings,
  portNumber,
  part,
  positiveInteger,
  processSettings,
  timerSeconds,
  SettingsError,
  text,
  wholeNumber,
  wholeNumberFrom,
} from './settings/index.ts';
export { runCommand } from './run-command.ts';
export {
  defineService,
  type Host,
  type Reseal,
  type Running,
  type SealedPlace,
  type Service,
  type Settings,
  type VerifyHost,
} from './service.ts';
export { type Job, type JobSurroundings, startJob } from './start-job.ts';
export { checkProcess, type MeshProcess, type ProcessOptions, startProcess } from './start-process.ts';

// Named by the declarations of services' settings.
export type { OptionalValidatorSpec, RequiredValidatorSpec } from 'envalid';
export { replayDeadLetters } from './replay-dead-letters.ts';
export { verifyRestore } from './verify-restore.ts';
