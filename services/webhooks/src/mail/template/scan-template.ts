/**
 * A placeholder in one of its three forms, `{{ name }}`, `${name}` and `$name`, or `$$`, which stands for `$`. The number of spaces is
 * bounded, so that a scan takes linear time.
 */
const pattern = /\$\$|\{\{\s{0,16}([A-Za-z_]\w{0,63})\s{0,16}\}\}|\$\{([A-Za-z_]\w{0,63})\}|\$([A-Za-z_]\w{0,63})/g;

/**
 * Replaces each placeholder by what `replace` returns for its name, and `$$` by `$`. When `replace` returns undefined, the placeholder
 * stays as it is. One pass: results are not scanned again.
 */
export function replacePlaceholders(template: string, replace: (name: string) => string | undefined): string {
  return template.replace(pattern, (found: string, braces?: string, dollarBraces?: string, dollar?: string) => {
    const name = braces ?? dollarBraces ?? dollar;
    return name === undefined ? '$' : (replace(name) ?? found);
  });
}
