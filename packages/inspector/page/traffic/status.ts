/** The colour of an HTTP status. */
export function statusKind(status: number): 'good' | 'plain' | 'bad' {
  if (status >= 400) return 'bad'
  return status >= 300 ? 'plain' : 'good'
}
