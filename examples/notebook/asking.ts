/** Whether the person behind a client can be asked, and what a form takes from them. */
import type { Context } from '../../src/index.ts'

/**
 * Whether the client shows forms. A bare `elicitation: {}` means that it does, naming only `url`
 * that it does not. Without a session the older revisions say nothing of a client, so nobody is
 * asked there.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#capabilities
 */
export function canAsk({ client }: Pick<Context, 'client'>): boolean {
  const { elicitation } = client.capabilities
  if (typeof elicitation !== 'object' || elicitation === null) return false
  return 'form' in elicitation || !('url' in elicitation)
}
