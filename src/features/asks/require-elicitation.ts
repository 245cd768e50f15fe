/** Converts a `UrlElicitationRequiredError` to the form of the call's revision. */

import type { Call } from '../../dispatch/call.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import { ToolError } from '../../server/tool-error.ts'
import type { UrlElicitationRequiredError } from '../../server/url-elicitation-required-error.ts'
import { urlAsk } from './journal/elicitation.ts'
import type { Round } from './journal/round.ts'

/** Returns the error to throw instead: a suspension, error -32042, or a `ToolError` with the URLs as text. */
export async function requireElicitation(
  { client, run }: Call,
  { revision }: Codec,
  round: Round,
  { elicitations, message }: UrlElicitationRequiredError,
): Promise<Error> {
  const questions = elicitations.map((elicitation) => urlAsk(elicitation))
  const supported = questions.every(({ canAnswer }) => canAnswer(client.capabilities))
  if (supported && client.era === 'modern' && run.canAsk) return round.suspendWith(questions)
  if (supported && client.era !== 'modern' && revision.features.richAsks) {
    await run.session?.expectElicitations(elicitations.map(({ elicitationId }) => elicitationId))
    const params = questions.map(({ params }) => params)
    return new ProtocolError(ErrorCode.urlElicitationRequired, message, { elicitations: params })
  }
  const addresses = elicitations.map(({ message, url }) => `${message} ${url}`)
  return new ToolError([message, ...addresses].join('\n'))
}
