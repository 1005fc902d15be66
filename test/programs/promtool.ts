import { installPackage } from './apt.ts';
import { findGoTool, isProgram } from './go-tools.ts';

const ofDebian = '/usr/bin/promtool';
const module = 'github.com/prometheus/prometheus/cmd/promtool@v0.316.0';

/** Path of promtool: Debian's, which is installed if we are root, else one that Go builds. Undefined, with a warning, when there is none. */
export async function findPromtool(): Promise<string | undefined> {
  if (isProgram(ofDebian) || ((await installPackage('prometheus')) && isProgram(ofDebian))) return ofDebian;
  return findGoTool('promtool', module);
}
