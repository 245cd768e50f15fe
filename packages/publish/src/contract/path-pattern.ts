/** The patterns of the paths at which servers answer. */

/** `/mcp/{org}` is the path of `/mcp/acme`, and of every request of the pattern `/mcp/{team}`. */
export function isPathOf(pattern: string, path: string): boolean {
  const [steps, given] = [pattern.split('/'), path.split('/')]
  return (
    steps.length === given.length &&
    steps.every((step, at) => step === given[at] || (/^\{.*\}$|^:/.test(step) && given[at] !== ''))
  )
}
