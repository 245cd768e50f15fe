/** The response of a client that accepts an elicitation with the given content. */
export function accept<T>(content: T): { readonly action: 'accept'; readonly content: T } {
  return { action: 'accept', content }
}
