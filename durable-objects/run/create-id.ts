/** Ids of what a session stores: random and hexadecimal, so that none contains a wildcard of a LIKE pattern. */
export function createId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
