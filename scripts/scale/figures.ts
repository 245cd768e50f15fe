/** Numbers and tables as the page shows them. */

/** At most three significant digits for numbers below a thousand, whole numbers above. */
export function count(value: number): string {
  const digits =
    Math.abs(value) < 1000 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 }
  return value.toLocaleString('en-US', digits)
}

export function millions(value: number): string {
  return count(value / 1e6)
}

export function dollars(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 })
}

export function cents(value: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** A column whose title ends with a colon is aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const titles = head.map((title) => title.replace(/:$/, ''))
  const ruler = head.map((title) => (title.endsWith(':') ? '--:' : '---'))
  return [line(titles), line(ruler), ...rows.map(line)].join('\n')
}
