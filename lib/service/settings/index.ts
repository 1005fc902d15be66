export { checkNats, natsOptions } from './nats-settings.ts';
export { checkTogether, type Environment, parseSettings, type Settings, SettingsError } from './parse-settings.ts';
export {
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
  encryptKey,
  flag,
  httpUrl,
  isShortKey,
  listOf,
  portNumber,
  part,
  positiveInteger,
  text,
  wholeNumber,
  wholeNumberFrom,
} from './validators.ts';
