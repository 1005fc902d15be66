export { type Certificates, checkCertificates } from './check-certificates.ts';
export { type RereadFiles, rereadFiles } from './reread-files.ts';
