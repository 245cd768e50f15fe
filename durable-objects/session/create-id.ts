/** Names of what a session keeps: random, and hexadecimal, so that no pattern of a query reads more into them. */
export function createId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
