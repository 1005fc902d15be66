export { asDeclared } from './as-declared.ts';
export { freePorts } from './free-ports.ts';
export { presentAs } from './present-as.ts';
export { expectationsOf, replayCalls } from './replay-calls.ts';
export { shownSerial } from './shown-serial.ts';
export { testCertificate } from './test-certificate.ts';
export { testNode } from './test-node.ts';
export { unserved } from './unserved.ts';
