export { checkNats, natsOptions } from './nats-settings.ts';
export { checkTogether, type Environment, parseSettings, type Settings, SettingsError } from './parse-settings.ts';
export {
  callsAway,
  checkAddresses,
  checkDirect,
  checkGrants,
  defaultMeshPort,
  directUrlOf,
  meshUrls,
  processSettings,
  settingsOf,
} from './process-settings.ts';
export {
  amount,
  daysFrom,
  encryptKey,
  flag,
  httpUrl,
  isShortKey,
  listOf,
  portNumber,
  part,
  positiveInteger,
  timerSeconds,
  text,
  wholeNumber,
  wholeNumberFrom,
} from './validators.ts';
