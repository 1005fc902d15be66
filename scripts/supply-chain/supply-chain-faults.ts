/** A package of a CycloneDX document. */
export interface Component {
  readonly name: string;
  /** Scope, such as `@bufbuild`. */
  readonly group?: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

/** A library in the database of Retire.js. */
export interface Library {
  readonly name: string;
  readonly npmname?: string;
  readonly vulnerabilities?: readonly {
    readonly below: string;
    readonly atOrAbove?: string;
    readonly identifiers: { readonly summary?: string; readonly githubID?: string; readonly CVE?: readonly string[] };
  }[];
}

/** Licences under which a package may be used without asking. All of an `AND` have to be here, and one of an `OR`. */
const allowed = new Set(
  'MIT MIT-0 ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 Python-2.0 Unlicense CC0-1.0 Zlib'.split(' '),
);

/** Packages whose manifest names no licence of the list, and the licence that was found in their files. */
const lookedAt: Readonly<Record<string, string>> = {
  'axe-core': 'MPL-2.0, used unchanged by tests of the console',
  lightningcss: 'MPL-2.0, used unchanged to build the console',
  'lightningcss-linux-x64-gnu': 'MPL-2.0, used unchanged to build the console',
  'lightningcss-linux-arm64-gnu': 'MPL-2.0, used unchanged to build the console',
  '@modelcontextprotocol/server-everything': 'MIT and Apache-2.0, used by tests',
  'humanize-number': 'MIT, in its readme',
  only: 'MIT, in its readme',
  busboy: 'MIT, under the former name of the field',
  dicer: 'MIT, under the former name of the field',
  streamsearch: 'MIT, under the former name of the field',
  'url-template': 'BSD-3-Clause, in its file LICENSE',
};

const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

function isAllowed(expression: string): boolean {
  const terms = expression.replaceAll(/[()]/g, '');
  if (terms.includes(' OR ')) return terms.split(' OR ').some(isAllowed);
  return terms.split(' AND ').every((term) => allowed.has(term.trim()));
}

/** Packages whose licence is neither allowed nor looked at. */
export function refusedLicenses(components: readonly Component[]): string[] {
  return components.flatMap((component) => {
    const named = (component.licenses ?? []).map(
      ({ license, expression }) => license?.id ?? license?.name ?? expression ?? '',
    );
    const isFine = named.length > 0 && named.every(isAllowed);
    if (isFine || Object.hasOwn(lookedAt, nameOf(component))) return [];
    return [`${nameOf(component)}@${component.version} has the licence ${named.join(', ') || 'none'}`];
  });
}

/** Orders versions of numbers and dots. */
const versions = new Intl.Collator('en', { numeric: true });

/** Packages with a vulnerability of the database, and how many packages it knows at all. */
export function knownVulnerabilities(components: readonly Component[], database: readonly Library[]) {
  const libraries = new Map(database.map((library) => [library.name, library]));
  const knownOnes = components.filter((component) => libraries.has(nameOf(component)));
  const found = knownOnes.flatMap((component) => {
    const { version } = component;
    const hits = (libraries.get(nameOf(component))?.vulnerabilities ?? []).filter(
      ({ below, atOrAbove = '0' }) => versions.compare(version, below) < 0 && versions.compare(version, atOrAbove) >= 0,
    );
    return hits.map(({ identifiers: { githubID, CVE = [], summary = '' } }) =>
      `${nameOf(component)}@${version} is vulnerable: ${githubID ?? CVE.join(' ')} ${summary}`.trim(),
    );
  });
  return { found, known: knownOnes.length };
}
